import { unavailable } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { createApiKey, type KeyListing, noKeyLimits } from '../src/domain/api-key.ts';
import type { StoredAuditEntry } from '../src/domain/audit.ts';
import { handleLeak } from '../src/domain/leak-report.ts';
import { holderTeller } from '../src/mail/holder-teller.ts';

const account = 'acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ';

/** A key that leaks, and the stores of a gateway that is told of it: a `failing` one is away. */
function leaked() {
  const { text, sha256, first, last } = createApiKey(account);
  let key: KeyListing = {
    ...{ ...noKeyLimits, sha256, account, first, last, name: 'a', environment: 'test' },
    ...{ createdAt: new Date(), lastUsedAt: null, lastUsedFrom: null, expiresAt: null, revokedAt: null },
  };
  const stores = { failing: '', mails: new Set<string>(), entries: [] as StoredAuditEntry[] };
  const unlessFailing = (store: string) => {
    if (stores.failing === store) throw unavailable(store);
  };
  const report = () =>
    handleLeak(
      {
        keys: {
          find: async () => [key],
          revoke: async () => (key = { ...key, revokedAt: key.revokedAt ?? new Date() }),
        },
        audit: {
          add: async (entry) => {
            unlessFailing('audit');
            stores.entries.push({ ...entry, id: 'aud', at: new Date() });
            return 'aud';
          },
          list: async () => stores.entries,
        },
        addMail: async ({ id }) => {
          unlessFailing('mails');
          stores.mails.add(id);
          return true;
        },
        propagate: async () => stores.failing !== 'gateways',
        clock: Date.now,
      },
      text,
    );
  return {
    stores,
    report,
    isRevoked: () => key.revokedAt !== null,
    told: () => [stores.mails.size, stores.entries.length],
  };
}

it.each(['audit', 'mails', 'gateways'])(
  'a leaked key is revoked also when %s can not be reached, and the next report tells its holder once',
  async (failing) => {
    const { stores, report, isRevoked, told } = leaked();
    stores.failing = failing;
    await expect(report()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(isRevoked()).toBe(true);
    stores.failing = '';
    for (let n = 0; n < 2; n += 1) {
      expect(await report()).toBe(true);
      expect(told()).toEqual([1, 1]);
    }
    stores.mails.clear(); // mails are kept for less long than keys
    await report();
    expect(stores.mails.size).toBe(0);
  },
);

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
