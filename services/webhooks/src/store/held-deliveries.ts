import { idBatches } from '@sigcast/mongo';
import { type DeliveryDocument, indexNames, type Models, type SubscriptionDocument } from './documents.ts';

/**
 * How long a delivery of a disabled subscription is left alone, in milliseconds: short enough that one which missed
 * the subscription's return does not miss it by much, long enough that a large backlog costs next to nothing.
 */
export const holdMs = 15 * 60_000;

/** Deliveries made due at once when their subscription is enabled; the rest follow as their time comes. */
const releasedAtOnce = 1_000;

/**
 * True for a delivery of a disabled subscription: then its lease is given back and it waits, without costing a retry.
 * What was asked for by hand is sent all the same.
 */
export async function heldBack(
  { deliveries, subscriptions }: Models,
  subscription: SubscriptionDocument,
  { _id, round, lease }: DeliveryDocument,
  at: number,
): Promise<boolean> {
  if (subscription.status === 'enabled' || round?.once === true || !lease) return false;
  const until = new Date(at + holdMs);
  await deliveries.updateOne(
    { _id, 'lease.token': lease.token },
    { $set: { lease: null, next_attempt_at: until, sweep_at: until } },
  );
  // Enabled meanwhile, it may have been looked for before it was put back.
  const now = await subscriptions.findById(subscription._id, { status: 1 }).lean();
  if (now?.status === 'enabled') await release(deliveries, { _id, next_attempt_at: until }, new Date(at));
  return true;
}

/** Makes a subscription's deliveries that wait due, the first to come first. */
export async function releaseHeld(
  deliveries: Models['deliveries'],
  subscription: string,
  at: Date,
): Promise<void> {
  const waiting = await deliveries
    .find({ subscription, status: 'pending', next_attempt_at: { $gt: at }, lease: null }, { _id: 1 })
    .sort({ next_attempt_at: 1 })
    .limit(releasedAtOnce)
    .hint(indexNames.due)
    .lean();
  const ids = waiting.map(({ _id }) => _id);
  for (const some of idBatches(ids)) await release(deliveries, { _id: { $in: some } }, at);
}

async function release(deliveries: Models['deliveries'], which: object, at: Date): Promise<void> {
  await deliveries.updateMany(
    { ...which, status: 'pending', lease: null },
    { $set: { next_attempt_at: at, sweep_at: at } },
  );
}
