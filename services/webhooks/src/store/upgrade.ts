import { indexNames, type Models, plainDeliveries, plainSubscriptions } from './documents.ts';
import { atOnce } from './lane-store.ts';

/** Leases of an older worker last 15 s; after this nobody holds one any more, in milliseconds. */
const oldLeaseMs = 30_000;

/**
 * Brings what an older version left into lanes: subscriptions without a time to look at them, and deliveries under leases
 * that name no worker. May be done by several at once, and again.
 */
export async function bringIntoLanes(models: Models): Promise<void> {
  await plainSubscriptions(models).updateMany({ due_at: { $exists: false } }, { $set: { due_at: atOnce } });
  await plainDeliveries(models).updateMany(
    { status: 'pending', 'lease.until': { $lte: new Date(Date.now() - oldLeaseMs) } } as object,
    { $set: { lease: null } },
    { hint: indexNames.due },
  );
}
