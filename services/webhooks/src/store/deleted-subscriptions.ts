import { idempotencyLifeMs } from '@sigcast/contracts';
import { storeCall, valuesPerCommand } from '@sigcast/mongo';
import type { DeletedSubscriptionDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** A fan-out that read a subscription before its deletion has opened its deliveries after this time, in milliseconds. */
const fanOutDoneAfterMs = 600_000;

/** The most recorded deletions that one call handles. */
const batch = 100;

/**
 * Records that a subscription is about to be deleted, so that its orphaned deliveries are removed later: those that the
 * deleting process left when it died, and those that a concurrent fan-out opened. A record with an idempotency key answers
 * requests with this key.
 */
export async function recordDeletion(
  { deletedSubscriptions }: Pick<Models, 'deletedSubscriptions'>,
  { _id, ...record }: DeletedSubscriptionDocument,
): Promise<void> {
  await deletedSubscriptions.updateOne({ _id }, { $set: record }, { upsert: true });
}

/** The most deliveries that a request or a message waits for: some two seconds of work. */
const mostAtOnce = 10_000;

/**
 * Removes deliveries of a deleted subscription, page by page: one command for a log of a month would take longer than the store
 * gives it. Those beyond `most` are orphaned deliveries.
 */
export async function removeDeliveries(
  { deliveries }: Pick<Models, 'deliveries'>,
  subscription: string,
  most = mostAtOnce,
): Promise<void> {
  for (let left = most; left > 0; left -= valuesPerCommand) {
    const page = await deliveries
      .find({ subscription }, { _id: 1 })
      .limit(Math.min(left, valuesPerCommand))
      .hint(indexNames.log)
      .lean();
    if (page.length === 0) return;
    await deliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } }).hint({ _id: 1 });
  }
}

/**
 * Removes the orphaned deliveries of subscriptions whose deletion was recorded more than ten minutes ago, and the records once
 * their idempotency keys have ended. Several processes may call it at once, and it may be repeated.
 */
export function removeOrphanedDeliveries(models: Models, now: Date): Promise<void> {
  const { deletedSubscriptions, subscriptions } = models;
  return storeCall(async () => {
    const recorded = await deletedSubscriptions
      .find({ at: { $lt: new Date(now.getTime() - fanOutDoneAfterMs) } })
      .sort({ at: 1 })
      .limit(batch)
      .lean();
    for (const { _id, at, idempotency } of recorded) {
      // The process may have died before it deleted the subscription, which then lives on.
      if ((await subscriptions.exists({ _id })) === null)
        await removeDeliveries(models, _id, Number.POSITIVE_INFINITY);
      const keyEnds = new Date((idempotency?.at.getTime() ?? 0) + idempotencyLifeMs);
      if (keyEnds > at) await deletedSubscriptions.updateOne({ _id, at }, { $set: { at: keyEnds } });
      else await deletedSubscriptions.deleteOne({ _id, at });
    }
  });
}
