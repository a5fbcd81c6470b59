import { SigcastError, unavailable } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { type AuditLog, recorded } from '../src/domain/audit.ts';

/** The entries that are left when an action ends in this way. */
async function entriesAfter(action: () => Promise<unknown>): Promise<string[]> {
  const entries: string[] = [];
  const audit: AuditLog = {
    add: async (entry) => String(entries.push(entry.action)),
    withdraw: async (id) => void entries.splice(Number(id) - 1, 1),
    list: async () => [],
  };
  const entry = { account: 'acct_1', actor: { kind: 'system' }, action: 'key.changed' } as const;
  await recorded(audit, entry, action).catch(() => undefined);
  return entries;
}

it('the audit log keeps the entry of what was done or may have been, and none of what was refused', async () => {
  expect(await entriesAfter(async () => 'done')).toEqual(['key.changed']);
  const fail = (error: Error) => () => Promise.reject(error);
  expect(await entriesAfter(fail(unavailable('The store')))).toEqual(['key.changed']);
  expect(await entriesAfter(fail(new Error('a bug')))).toEqual(['key.changed']);
  expect(await entriesAfter(fail(new SigcastError('CONFLICT', 'no')))).toEqual([]);
});
