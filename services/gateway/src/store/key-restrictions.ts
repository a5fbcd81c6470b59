import { networksFrom } from '../domain/networks.ts';
import type { KeyRestrictions } from '../domain/restrictions.ts';
import type { KeyDocument } from './models.ts';

/** The fields of a key that say what it may do less than its account. */
export const restrictionFields = { scopes: 1, networks: 1, per_minute: 1 } as const;

/** What a key may do less than its account. */
export function restrictionsOf({
  scopes,
  networks,
  per_minute: perMinute,
}: Pick<KeyDocument, keyof typeof restrictionFields>): KeyRestrictions {
  return { scopes, networks: networks && networksFrom(networks), perMinute };
}
