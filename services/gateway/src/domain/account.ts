import type { AccountStatus } from '@sigcast/contracts';

/** How many requests an account may make. */
export type Limits = { readonly perMinute: number; readonly perDay: number };

/** The plan every account has unless an operator gives it another one. */
export const standardPlan = { name: 'standard', perMinute: 60, perDay: 10_000 } as const;

/**
 * The lowest limits of an account's sessions, all sessions together. Sessions have the same limits as the plan gives the
 * keys, but at least these, so that the dashboard works on a small plan. A page of the dashboard makes at most some 15
 * requests, and a tab that is always in view 5,800 a day.
 */
const leastSessionLimits: Limits = { perMinute: 120, perDay: 10_000 };

/** The limits of an account's sessions, from those of its plan. */
export function sessionLimits({ perMinute, perDay }: Limits): Limits {
  return {
    perMinute: Math.max(perMinute, leastSessionLimits.perMinute),
    perDay: Math.max(perDay, leastSessionLimits.perDay),
  };
}

/** The state of a key that admission needs. `rev` grows with every change, so that an older copy is recognised. */
export type KeyState = {
  readonly rev: number;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
};

/** The state of an account that admission needs. */
export type AccountState = { readonly rev: number; readonly status: AccountStatus; readonly limits: Limits };

/** A key and its account, as MongoDB has them. */
export type Credentials = { readonly key: KeyState; readonly account: AccountState };

/** Keys and accounts in MongoDB, where they are always current. */
export type KeyRepository = {
  /**
   * Undefined where there is no such key, or it is another account's.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(key: { account: string; sha256: string }): Promise<Credentials | undefined>;
};

/** Why a key is refused at an instant; undefined when it is valid. A key of a deleted account counts as revoked. */
export function refusalOf(
  { key, account }: Credentials,
  nowMs: number,
): 'revoked' | 'expired' | 'suspended' | undefined {
  if (key.revoked || account.status === 'deleted') return 'revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'expired';
  return account.status === 'active' ? undefined : 'suspended';
}
