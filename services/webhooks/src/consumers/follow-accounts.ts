import { type IncomingMessage, parseAccountEvent } from '@sigcast/messaging';
import { type AccountStates, followAccount } from '../domain/account-state.ts';

/** Handles messages of the accounts' queue. A message is handled when the account's subscriptions have its newest state. */
export function followAccounts(states: AccountStates): (message: IncomingMessage) => Promise<void> {
  return async (message) => {
    const { rev, data } = parseAccountEvent(message);
    const { account, status, unverified, access_revoked_at: revokedAt } = data;
    const accessRevokedAt = revokedAt === null ? null : new Date(revokedAt);
    await followAccount({ account, rev, status, unverified, accessRevokedAt }, states);
  };
}
