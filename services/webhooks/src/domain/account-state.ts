import type { AccountStatus } from '@sigcast/contracts';

/** An account's state as the gateway published it. The state with the greatest `rev` is the current one. */
export type AccountState = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
  /** Whether its holder still has to verify the e-mail address: until then its webhooks are pending. */
  readonly unverified: boolean;
  /** When its holder or an operator last revoked its keys and webhooks; null for never. */
  readonly accessRevokedAt: Date | null;
};

/** Where the states of accounts are stored. Each step may be repeated. */
export type AccountStates = {
  /** Stores a state. Returns false, and stores nothing, when a newer state is stored. */
  save(state: AccountState): Promise<boolean>;
  /**
   * Suspends or resumes each subscription of the account that has an older state, makes it pending or enabled, and pauses it if
   * the account's access was revoked since.
   */
  apply(state: AccountState): Promise<void>;
  /** Removes the account's subscriptions and their log. */
  removeAll(account: string): Promise<void>;
};

/**
 * Applies an account's state to its subscriptions. Deliveries of a suspended account wait. They are due when the account is
 * resumed. The subscriptions of a deleted account are removed. A state that comes twice or late changes nothing.
 */
export async function followAccount(state: AccountState, states: AccountStates): Promise<void> {
  // Saved before it is applied: a subscription that is created meanwhile reads the saved state after its own insert.
  if (!(await states.save(state))) return;
  // A deleted account's subscriptions are suspended first, because removing them takes time.
  await states.apply(state);
  if (state.status === 'deleted') await states.removeAll(state.account);
}
