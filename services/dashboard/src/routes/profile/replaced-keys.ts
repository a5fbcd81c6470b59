import type { ApiKeyView } from '@sigcast/contracts';

/** The longest that a key stays valid after its rotation. */
const longestOverlapMs = 7 * 86_400_000;

/** The fields of a key from which its successor can be found. */
export type Key = Pick<ApiKeyView, 'id' | 'name' | 'environment' | 'state' | 'created_at' | 'expires_at'>;

/**
 * The active keys that were rotated, each with its successor, which the API does not name. The successor is the first later
 * active key of the same name and environment, if the rotated key ends within the longest overlap after it was made. A key
 * whose successor is revoked does not count as rotated.
 */
export function successorsOf<K extends Key>(keys: readonly K[]): ReadonlyMap<string, K> {
  const active = keys
    .filter(({ state }) => state === 'active')
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  return new Map(
    active.flatMap((key) => {
      const successor = active.find((next) => replaces(next, key));
      return successor === undefined ? [] : [[key.id, successor] as const];
    }),
  );
}

function replaces(next: Key, key: Key): boolean {
  const madeMs = Date.parse(next.created_at);
  const isAlike = next.name === key.name && next.environment === key.environment;
  const ends = key.expires_at !== null && Date.parse(key.expires_at) - madeMs <= longestOverlapMs;
  return isAlike && ends && madeMs > Date.parse(key.created_at);
}

const states: readonly ApiKeyView['state'][] = ['active', 'expired', 'revoked'];

/** Keys in the order in which they are shown: valid ones first, and a rotated key right behind its successor. */
export function inOrder<K extends Key>(keys: readonly K[], successors: ReadonlyMap<string, K>): readonly K[] {
  const withReplaced = (key: K): readonly K[] => [
    key,
    ...keys.filter(({ id }) => successors.get(id)?.id === key.id).flatMap(withReplaced),
  ];
  return [...keys]
    .sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
    .filter(({ id }) => !successors.has(id))
    .flatMap(withReplaced);
}
