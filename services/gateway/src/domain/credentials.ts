import type { AccountStatus } from '@sigcast/contracts';
import type { Limits } from './plan.ts';

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
