import { expect, it } from 'vitest';
import type { Letter } from '../src/domain/mail/letters.ts';
import { limitsOf } from '../src/domain/mail/sending.ts';

type Asked = 'confirm' | 'invitation';

/** Says of letters to one address whether their limits allow them. */
function sender(): (kind: Asked, account: string) => boolean {
  const counts = new Map<string, number>();
  return (kind, account) => {
    const letter = { id: 'mail_1', to: 'a@example.test', kind, values: { account, invitation: 'inv_1' } };
    return limitsOf(letter as Letter, false).every(([{ name, limit }, subject]) => {
      const count = (counts.get(`${name} ${subject}`) ?? 0) + 1;
      counts.set(`${name} ${subject}`, count);
      return count <= limit;
    });
  };
}

it.each<Asked>(['confirm', 'invitation'])(
  'a letter “%s” of an account is kept from an address by no other account, and 30 a day come from all',
  (kind) => {
    const send = sender();
    const sent = (account: string) => Array.from({ length: 11 }, () => send(kind, account)).filter(Boolean);
    expect(sent('acct_stranger')).toHaveLength(10);
    expect(sent('acct_own')).toHaveLength(10);
    const others = Array.from({ length: 30 }, (_, n) => send(kind, `acct_${n}`)).filter(Boolean);
    expect(others).toHaveLength(10);
  },
);
