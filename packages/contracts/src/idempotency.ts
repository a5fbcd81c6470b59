import { SigcastError } from './errors.ts';

/** How long an `Idempotency-Key` is valid, in milliseconds. Afterwards it may be used for another request. */
export const idempotencyLifeMs = 24 * 3_600_000;

/** The idempotency key of the request that made something, with a hash of the request's body. */
export type Idempotency = { readonly key: string; readonly hash: string; readonly at: Date };

/** The store of what requests with an idempotency key make. */
type IdempotentStore<T> = {
  /** What was made with a key. */
  byKey(key: string): Promise<{ readonly made: T; readonly idempotency: Idempotency } | undefined>;
  /** Removes the key of what was made with it, unless it has another one by now. */
  releaseKey(made: T, key: string): Promise<void>;
  /** Stores what the request makes. `key-used`: the key belongs to something else. Throws what else is wrong. */
  insert(idempotency: Idempotency | undefined): Promise<T | 'key-used'>;
};

/**
 * Makes something, or finds what the same request has made within {@link idempotencyLifeMs}.
 * @param idempotency of the request; undefined where it has no key.
 * @throws {SigcastError} CONFLICT for a key that was used with another body; what `insert` throws.
 */
export async function makeOnce<T>(
  idempotency: Idempotency | undefined,
  store: IdempotentStore<T>,
): Promise<T> {
  // When concurrent requests have one key, one of them makes it. The others find it on their second try; more tries are a bug.
  for (let tries = 0; tries < 5; tries++) {
    if (idempotency) {
      const earlier = await store.byKey(idempotency.key);
      if (earlier && idempotency.at.getTime() - earlier.idempotency.at.getTime() < idempotencyLifeMs) {
        if (earlier.idempotency.hash === idempotency.hash) return earlier.made;
        throw new SigcastError('CONFLICT', 'This Idempotency-Key was used with another body');
      }
      if (earlier) await store.releaseKey(earlier.made, idempotency.key);
    }
    const made = await store.insert(idempotency);
    if (made !== 'key-used') return made;
  }
  throw new SigcastError('CONFLICT', 'This Idempotency-Key is being used by another request');
}
