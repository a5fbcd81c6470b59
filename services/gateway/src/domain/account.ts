import type { AccountStatus } from '@sigcast/contracts';

/** How many requests an account may make. */
export type Limits = { readonly perMinute: number; readonly perDay: number };

/** The plan every account has unless an operator gives it another one. */
export const standardPlan = { name: 'standard', perMinute: 60, perDay: 10_000 } as const;

/**
 * What sessions of an account may ask in the dashboard, all of them together, whatever its keys have asked: as much as
 * its plan allows the keys. Of a small plan it is more, so that its dashboard works: at most some 15 requests a page,
 * and 5,800 a day for a tab that is always in view.
 */
const leastSessionLimits: Limits = { perMinute: 120, perDay: 10_000 };

/** The limits of an account's sessions, from those of its plan. */
export function sessionLimits({ perMinute, perDay }: Limits): Limits {
  return {
    perMinute: Math.max(perMinute, leastSessionLimits.perMinute),
    perDay: Math.max(perDay, leastSessionLimits.perDay),
  };
}

/** What admitting a request needs to know of a key. `rev` grows with every change, so an older copy is recognised. */
export type KeyState = {
  readonly rev: number;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
};

/** What admitting a request needs to know of an account. */
export type AccountState = { readonly rev: number; readonly status: AccountStatus; readonly limits: Limits };

/** A key and its account, as the truth has them. */
export type Credentials = { readonly key: KeyState; readonly account: AccountState };

/** The truth about keys and accounts. */
export type KeyRepository = {
  /**
   * Undefined where there is no such key, or it is another account's.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(key: { account: string; sha256: string }): Promise<Credentials | undefined>;
};

/** Why a key does not open anything, if so, at an instant. Of a deleted account, there is no key. */
export function refusalOf(
  { key, account }: Credentials,
  nowMs: number,
): 'revoked' | 'expired' | 'suspended' | undefined {
  if (key.revoked || account.status === 'deleted') return 'revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'expired';
  return account.status === 'active' ? undefined : 'suspended';
}
