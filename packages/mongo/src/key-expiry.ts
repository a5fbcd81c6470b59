import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { storeCall } from './errors.ts';
import { valuesPerCommand } from './id-batches.ts';
import type { IndexSpec } from './indexes.ts';

/** Kept so much longer: whoever looks at a key decides by its age whether it still stands, and clocks differ. */
const marginMs = 3_600_000;

/** Between two looks when nothing was left, and when more is: at most 1,000 documents a second are written. */
const pauseMs = { done: 60_000, more: 100 };

/** A collection whose documents hold the request they were made by as `idempotency: { key, hash, at }` needs this index. */
export const keyExpiryIndex: IndexSpec = {
  name: 'idempotency_at',
  key: { 'idempotency.at': 1 },
  partialFilterExpression: { 'idempotency.at': { $exists: true } },
};

/**
 * Takes keys older than `lifeMs`, and an hour, out of some documents, the oldest first. A look at {@link keyExpiryIndex}
 * and one write, however many documents there are. May be done by several at once.
 *
 * @returns whether there may be more.
 */
export async function expireKeys(
  connection: Connection,
  collection: string,
  { now, lifeMs }: { readonly now: Date; readonly lifeMs: number },
): Promise<boolean> {
  const before = new Date(now.getTime() - lifeMs - marginMs);
  return storeCall(async () => {
    const documents = connection.collection<{ _id: string; idempotency?: { at: Date } }>(collection);
    // Without a bound: with one, the development engine expects few and sorts all there are.
    const oldest = await documents
      .find({ 'idempotency.at': { $exists: true } }, { projection: { 'idempotency.at': 1 } })
      .sort({ 'idempotency.at': 1 })
      .limit(valuesPerCommand)
      .hint(keyExpiryIndex.name)
      .toArray();
    const expired = oldest.filter(({ idempotency }) => idempotency !== undefined && idempotency.at < before);
    if (expired.length === 0) return false;
    await documents.updateMany(
      { _id: { $in: expired.map(({ _id }) => _id) }, 'idempotency.at': { $lt: before } },
      { $unset: { idempotency: '' } },
      { hint: { _id: 1 } },
    );
    return expired.length === valuesPerCommand;
  });
}

/** Expires keys of a collection until `resources` are released. */
export function startKeyExpiry(
  connection: Connection,
  collection: string,
  options: { readonly lifeMs: number; readonly log: Logger; readonly resources: Resources },
): void {
  const { lifeMs, log, resources } = options;
  keepDoing(async () => {
    const more = await expireKeys(connection, collection, { now: new Date(), lifeMs }).catch(
      (err: unknown) => {
        log.warn({ err, collection }, 'idempotency keys: not expired yet');
        return false;
      },
    );
    return more ? pauseMs.more : pauseMs.done;
  }, resources);
}
