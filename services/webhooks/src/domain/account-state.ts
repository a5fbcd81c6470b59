import type { AccountStatus } from '@sigcast/contracts';

/** How the gateway says that an account stands; the greatest `rev` holds. */
export type AccountState = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
};

/** Where accounts' states are kept. Each step may be repeated. */
export type AccountStates = {
  /** Keeps a state, unless a newer one is kept. False: a newer one is. */
  keep(state: AccountState): Promise<boolean>;
  /** Holds or lets go the account's subscriptions, each unless it knows this state or a newer one. */
  apply(state: AccountState): Promise<void>;
  /** Removes the account's subscriptions and their log. */
  removeAll(account: string): Promise<void>;
};

/**
 * Follows an account's state: nothing of a suspended account is attempted, what waited is due once it is resumed, and of a
 * deleted one nothing stays. States that come twice or late change nothing.
 */
export async function followAccount(state: AccountState, states: AccountStates): Promise<void> {
  // First: a subscription that is being made reads it once it is stored, so one of both sees the other.
  if (!(await states.keep(state))) return;
  // Also before they are removed, which takes its time.
  await states.apply(state);
  if (state.status === 'deleted') await states.removeAll(state.account);
}
