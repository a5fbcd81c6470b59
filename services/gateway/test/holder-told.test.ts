import { unavailable } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { createApiKey, type KeyListing, noKeyLimits } from '../src/domain/api-key.ts';
import { handleLeak } from '../src/domain/leak-report.ts';
import { holderTeller } from '../src/mail/holder-teller.ts';

const account = 'acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ';

it('a leaked key is revoked only when the mail to its holder waits, and a report that comes again makes no other mail', async () => {
  const { text, sha256, first, last } = createApiKey(account);
  const key: KeyListing = {
    ...{
      ...noKeyLimits,
      sha256,
      account,
      first,
      last,
      name: 'a',
      environment: 'test',
      createdAt: new Date(),
    },
    ...{ lastUsedAt: null, lastUsedFrom: null, expiresAt: null, revokedAt: null },
  };
  const done: string[] = [];
  let isAway = true;
  const addMail = async ({ id }: { id: string }) => {
    if (isAway) throw unavailable('The store');
    done.push(id);
    return true;
  };
  const revoke = async () => {
    done.push('revoked');
    return key;
  };
  const report = () =>
    handleLeak(
      {
        keys: { find: async () => [key], revoke },
        audit: { add: async () => 'aud' },
        addMail,
        propagate: async () => true,
        clock: Date.now,
      },
      text,
    );
  await expect(report()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(done).toEqual([]);
  isAway = false;
  for (let n = 0; n < 2; n += 1) await report();
  expect(done).toEqual([done[0], 'revoked', done[0], 'revoked']);
});

it('a holder whom the store keeps from being told at once is told later, by the same mail', async () => {
  const ids: string[] = [];
  const add = async ({ id }: { id: string }) => {
    ids.push(id);
    if (ids.length < 3) throw unavailable('The store');
    return true;
  };
  const tell = holderTeller({ add, clock: Date.now, log: silentLogger(), waits: [0, 0, 0] });
  await tell(account, { what: 'password-changed', address: null });
  await eventually(() => expect(ids).toHaveLength(3));
  expect(new Set(ids).size).toBe(1);
});
