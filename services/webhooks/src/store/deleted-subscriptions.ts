import { storeCall } from '@sigcast/mongo';
import type { Models } from './models.ts';

/** A fan-out that read a subscription before it was deleted has opened its deliveries by then, in milliseconds. */
const settledMs = 600_000;

/** Notes looked at in one go. */
const batch = 100;

/**
 * Notes that a subscription is about to be deleted, so that what is left of it is removed later: by a process that died
 * meanwhile, or by a fan-out that still opened deliveries, which nobody would attempt and every gauge would count.
 */
export async function noteDeletion(
  { deletedSubscriptions }: Pick<Models, 'deletedSubscriptions'>,
  id: string,
  at: Date,
): Promise<void> {
  await deletedSubscriptions.updateOne({ _id: id }, { $set: { at } }, { upsert: true });
}

/**
 * Removes the deliveries that are left of subscriptions deleted ten minutes ago. Its cost is that of the deletions noted
 * since. May be done by several at once, and again.
 */
export function removeLeftDeliveries(models: Models, now: Date): Promise<void> {
  const { deletedSubscriptions, subscriptions, deliveries } = models;
  return storeCall(async () => {
    const noted = await deletedSubscriptions
      .find({ at: { $lt: new Date(now.getTime() - settledMs) } })
      .sort({ at: 1 })
      .limit(batch)
      .lean();
    for (const { _id, at } of noted) {
      // Whoever noted it may have died before the subscription was deleted; it goes on then.
      if ((await subscriptions.exists({ _id })) === null) await deliveries.deleteMany({ subscription: _id });
      await deletedSubscriptions.deleteOne({ _id, at });
    }
  });
}
