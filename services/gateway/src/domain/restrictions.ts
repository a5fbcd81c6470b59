import { type ApiScope, SigcastError } from '@sigcast/contracts';
import type { ApiKey } from './api-key.ts';
import type { Networks } from './networks.ts';

/** What a key may do less than its account. */
export type KeyRestrictions = {
  /** What it may be used for; null for everything. */
  readonly scopes: readonly ApiScope[] | null;
  /** From where it may be used; null for anywhere. */
  readonly networks: Networks | null;
  /** How many requests a minute it may make; null for as many as its account. */
  readonly perMinute: number | null;
};

/** How a request uses a key: for what (undefined where it asks nothing of the API) and from which address. */
export type KeyUse = { readonly scope: ApiScope | undefined; readonly from: string };

/** The refusal of a key that is valid, and may not be used so. */
export class RestrictedKey extends SigcastError {
  readonly key: ApiKey;

  constructor(key: ApiKey, code: 'SCOPE_REQUIRED' | 'NETWORK_NOT_ALLOWED', message: string) {
    super(code, message);
    this.key = key;
  }
}

/** The refusal of this use of a key; undefined where it is allowed. Says nothing of scopes to callers of other networks. */
export function restrictionOf(
  { scopes, networks }: Pick<KeyRestrictions, 'scopes' | 'networks'>,
  { scope, from }: KeyUse,
  key: ApiKey,
): RestrictedKey | undefined {
  if (networks?.includes(from) === false) {
    return new RestrictedKey(key, 'NETWORK_NOT_ALLOWED', `This API key can't be used from ${from}`);
  }
  if (scope === undefined || scopes === null || scopes.includes(scope)) return undefined;
  return new RestrictedKey(key, 'SCOPE_REQUIRED', `This API key lacks the scope ${scope}`);
}
