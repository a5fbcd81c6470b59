import { idBatches, type Migration, type MigrationStep } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { indexNames } from './indexes.ts';
import { atOnce, markDue } from './lane-store.ts';
import { models, plainDeliveries, plainSubscriptions } from './models.ts';

/** Leases of workers from before lanes last 15 s; after this nobody holds one any more, in milliseconds. */
const oldLeaseMs = 30_000;
/** Between two looks while old leases may still be held, in milliseconds. */
const heldEveryMs = 15_000;
/** Deliveries freed in one step. */
const batch = 2_000;

type OldDelivery = {
  readonly _id: string;
  readonly subscription: string;
};

/** What this version changes of subscriptions and deliveries that earlier ones stored. */
export const webhooksMigrations: readonly Migration[] = [
  {
    name: 'lanes',
    what: 'subscriptions get a time to look at them, deliveries under leases that name no worker are due',
    findsLeftovers: true,
    next: bringIntoLanes,
  },
];

/**
 * Frees deliveries whose old lease is over, and waits for those that may still be held. Where none is left to be freed, that
 * reads every pending delivery: once for the end, and every 15 s while an old worker runs.
 */
async function bringIntoLanes(connection: Connection): Promise<MigrationStep | undefined> {
  const collections = models(connection);
  const { modifiedCount } = await plainSubscriptions(collections).updateMany(
    { due_at: { $exists: false } },
    { $set: { due_at: atOnce } },
  );
  const deliveries = plainDeliveries(collections);
  const pending = (until: object, limit: number) =>
    deliveries
      .find({ status: 'pending', 'lease.until': until } as object, {
        ...{ projection: { subscription: 1 }, hint: indexNames.due, limit },
      })
      .toArray() as Promise<unknown> as Promise<readonly OldDelivery[]>;
  const over = { $lte: new Date(Date.now() - oldLeaseMs) };
  const old = await pending(over, batch);
  if (old.length === 0) {
    const [held] = await pending({ $exists: true }, 1);
    if (held !== undefined) return { changed: modifiedCount, waitMs: heldEveryMs };
    return modifiedCount === 0 ? undefined : { changed: modifiedCount };
  }
  let changed = modifiedCount;
  for (const some of idBatches(old.map(({ _id }) => _id))) {
    const expired = { _id: { $in: some }, 'lease.until': over } as object;
    const freed = await deliveries.updateMany(expired, { $set: { lease: null } }, { hint: { _id: 1 } });
    changed += freed.modifiedCount;
  }
  await markDue(collections, [...new Set(old.map(({ subscription }) => subscription))]);
  return { changed };
}
