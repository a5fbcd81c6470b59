import type { AccountStatus } from '@sigcast/contracts';
import type { ApiKey } from './api-key.ts';
import type { Limits } from './plan.ts';
import type { KeyRestrictions } from './restrictions.ts';

/** What admission needs of a key and its account. */
export type Credentials = {
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
  readonly status: AccountStatus;
  readonly limits: Limits;
  readonly restrictions: KeyRestrictions;
};

/** Keys and accounts in MongoDB, where they are always current. */
export type KeyRepository = {
  /**
   * Undefined where there is no such key, or it is another account's.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(key: ApiKey): Promise<Credentials | undefined>;
};

/** Why a key is refused at an instant; undefined when it is valid. A key of a deleted account counts as revoked. */
export function refusalOf(
  { revoked, expiresAtMs, status }: Credentials,
  nowMs: number,
): 'revoked' | 'expired' | 'suspended' | undefined {
  if (revoked || status === 'deleted') return 'revoked';
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return 'expired';
  return status === 'active' ? undefined : 'suspended';
}
