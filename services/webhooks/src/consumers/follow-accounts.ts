import { type IncomingMessage, parseAccountEvent } from '@sigcast/messaging';
import { type AccountStates, followAccount } from '../domain/account-state.ts';

/** Handles messages of the accounts' queue: done when the account's subscriptions are as its newest state says. */
export function followAccounts(states: AccountStates): (message: IncomingMessage) => Promise<void> {
  return async (message) => {
    const { rev, data } = parseAccountEvent(message);
    await followAccount({ ...data, rev }, states);
  };
}
