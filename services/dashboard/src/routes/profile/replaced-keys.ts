import type { ApiKeyView } from '@sigcast/contracts';

/** The longest a key goes on after its rotation. */
const longestOverlapMs = 7 * 86_400_000;

type Key = Pick<ApiKeyView, 'id' | 'name' | 'environment' | 'state' | 'created_at' | 'expires_at'>;

/**
 * The active keys that another active one has taken the place of: made later, of the same name and environment, with
 * this one to end within an overlap from then. The API doesn't say which key came of which.
 */
export function replacedKeys(keys: readonly Key[]): ReadonlySet<string> {
  const active = keys.filter(({ state }) => state === 'active');
  const replaces = (next: Key, key: Key) => {
    const madeMs = Date.parse(next.created_at);
    return (
      next.name === key.name &&
      next.environment === key.environment &&
      madeMs > Date.parse(key.created_at) &&
      key.expires_at !== null &&
      Date.parse(key.expires_at) - madeMs <= longestOverlapMs
    );
  };
  return new Set(active.filter((key) => active.some((next) => replaces(next, key))).map(({ id }) => id));
}
