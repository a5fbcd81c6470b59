import { storeCall, valuesPerCommand } from '@sigcast/mongo';
import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { indexNames } from './indexes.ts';
import { atOnce, markDue } from './lane-store.ts';
import { type Models, plainDeliveries, plainSubscriptions } from './models.ts';

/** Leases of an older worker last 15 s; after this nobody holds one any more, in milliseconds. */
const oldLeaseMs = 30_000;
/** An older worker may run beside this one for so long without holding a lease at any look, in milliseconds. */
const besideMs = 15 * 60_000;

type OldDelivery = {
  readonly _id: string;
  readonly subscription: string;
  readonly lease: { readonly until: Date };
};

/**
 * Brings what an older version left into lanes, in the background: subscriptions without a time to look at them, and
 * deliveries under leases that name no worker. Looks again while older workers may run side by side, for 15 minutes at least,
 * and ends when no such lease is left. Finding that out reads every pending delivery once, for which no start waits.
 */
export function startBringingIntoLanes(
  models: Models,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): void {
  const besideUntil = performance.now() + besideMs;
  keepDoing(async (stopping) => {
    const done = await storeCall(() => bringIntoLanes(models, stopping)).catch((err: unknown) => {
      log.warn({ err }, 'what an older version left is not in lanes yet');
      return false;
    });
    if (!done) return oldLeaseMs;
    return performance.now() < besideUntil ? besideMs : undefined;
  }, resources);
}

/** May be done by several at once, and again. Returns whether nobody holds a delivery under an older version's lease any more. */
async function bringIntoLanes(models: Models, stopping: AbortSignal): Promise<boolean> {
  await plainSubscriptions(models).updateMany({ due_at: { $exists: false } }, { $set: { due_at: atOnce } });
  const deliveries = plainDeliveries(models);
  const expiredAt = new Date(Date.now() - oldLeaseMs);
  const free = async (some: readonly OldDelivery[]) => {
    const ids = some.map(({ _id }) => _id);
    const expired = { _id: { $in: ids }, 'lease.until': { $lte: expiredAt } } as object;
    await deliveries.updateMany(expired, { $set: { lease: null } }, { hint: { _id: 1 } });
    await markDue(models, [...new Set(some.map(({ subscription }) => subscription))]);
  };
  let isAnyHeld = false;
  let expired: OldDelivery[] = [];
  const old = deliveries.find({ status: 'pending', 'lease.until': { $exists: true } } as object, {
    projection: { subscription: 1, 'lease.until': 1 },
    hint: indexNames.due,
  });
  for await (const delivery of old as AsyncIterable<unknown> as AsyncIterable<OldDelivery>) {
    if (stopping.aborted) return false;
    if (delivery.lease.until > expiredAt) isAnyHeld = true;
    else if (expired.push(delivery) === valuesPerCommand) {
      await free(expired);
      expired = [];
    }
  }
  if (expired.length > 0) await free(expired);
  return !isAnyHeld;
}
