import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { dueBy } from './due-by.ts';
import { storeCall } from './errors.ts';
import { valuesPerCommand } from './id-batches.ts';
import type { IndexSpec } from './indexes.ts';

/** How much longer than `lifeMs` keys are stored, because clocks differ. Readers decide by a key's age whether it is valid. */
const marginMs = 3_600_000;

/** Pauses between two runs, in milliseconds, when no expired key is left and when more are. Bounds writes to 1,000 documents a second. */
const pauseMs = { done: 60_000, more: 100 };

/** The index that {@link startKeyExpiry} needs in a collection with `idempotency: { key, hash, at }`. */
export const keyExpiryIndex: IndexSpec = {
  name: 'idempotency_at',
  key: { 'idempotency.at': 1 },
  partialFilterExpression: { 'idempotency.at': { $exists: true } },
};

/**
 * Removes keys older than `lifeMs` and an hour from some documents, oldest first. Costs one read of
 * {@link keyExpiryIndex} and one write. Several processes may run it at once.
 *
 * @returns whether more keys may have expired.
 */
export async function expireKeys(
  connection: Connection,
  collection: string,
  { now, lifeMs }: { readonly now: Date; readonly lifeMs: number },
): Promise<boolean> {
  const isExpired = { 'idempotency.at': dueBy(new Date(now.getTime() - lifeMs - marginMs)) };
  return storeCall(async () => {
    const documents = connection.collection<{ _id: string; idempotency?: { at: Date } }>(collection);
    const expired = await documents
      .find(isExpired, { projection: { _id: 1 } })
      .sort({ 'idempotency.at': 1 })
      .limit(valuesPerCommand)
      .hint(keyExpiryIndex.name)
      .toArray();
    if (expired.length === 0) return false;
    await documents.updateMany(
      { _id: { $in: expired.map(({ _id }) => _id) }, ...isExpired },
      { $unset: { idempotency: '' } },
      { hint: { _id: 1 } },
    );
    return expired.length === valuesPerCommand;
  });
}

/** Removes expired keys of a collection until `resources` are released. */
export function startKeyExpiry(
  connection: Connection,
  collection: string,
  options: { readonly lifeMs: number; readonly log: Logger; readonly resources: Resources },
): void {
  const { lifeMs, log, resources } = options;
  keepDoing(async () => {
    const more = await expireKeys(connection, collection, { now: new Date(), lifeMs }).catch(
      (err: unknown) => {
        log.warn({ err, collection }, 'idempotency keys: expired keys can not be removed yet');
        return false;
      },
    );
    return more ? pauseMs.more : pauseMs.done;
  }, resources);
}
