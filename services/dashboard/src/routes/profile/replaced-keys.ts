import type { ApiKeyView } from '@sigcast/contracts';

/** The longest a key goes on after its rotation. */
const longestOverlapMs = 7 * 86_400_000;

/** What tells which key came of which. */
export type Key = Pick<ApiKeyView, 'id' | 'name' | 'environment' | 'state' | 'created_at' | 'expires_at'>;

/**
 * The active keys that another active one has taken the place of, each with that one: the first that was made later, of
 * the same name and environment, with this one to end within an overlap from then. The API doesn't say which key came of
 * which. A key whose successor is revoked is replaced no more.
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
  return (
    next.name === key.name &&
    next.environment === key.environment &&
    madeMs > Date.parse(key.created_at) &&
    key.expires_at !== null &&
    Date.parse(key.expires_at) - madeMs <= longestOverlapMs
  );
}

const states: readonly ApiKeyView['state'][] = ['active', 'expired', 'revoked'];

/** Keys in the order to show them in: what opens something first, and what is replaced right behind its successor. */
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
