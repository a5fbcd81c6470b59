import { indexNames } from './indexes.ts';
import { activeAccount, atOnce } from './lane-store.ts';
import type { Models } from './models.ts';

/** Counts of deliveries stop here; no alert and no scaling decision needs a higher figure. */
export const maxCounted = 20_000;
/** The store ends a read after this time, in milliseconds: its reader waits no longer. */
export const readTimeoutMs = 1_000;
/** Lanes marked as due at once: how many are read, and how many unclaimed ones of these are searched for the oldest delivery. */
const markedLanes = { read: 1_000, searched: 100 };

type Lane = { readonly _id: string; readonly account: string };

/** Counts the pending deliveries; 20,000 stands for that many or more. */
export function countPending({ deliveries }: Pick<Models, 'deliveries'>): Promise<number> {
  return deliveries
    .countDocuments({ status: 'pending' }, { limit: maxCounted, maxTimeMS: readTimeoutMs })
    .hint(indexNames.due);
}

/**
 * Since when the oldest due delivery has waited for a worker to claim its lane, in Unix milliseconds; undefined where none
 * waits. `isUnclaimed`: whether no worker works on a lane that is marked as due at once.
 */
export async function oldestUnclaimed(
  models: Pick<Models, 'subscriptions' | 'deliveries'>,
  { now, isUnclaimed }: { readonly now: () => number; readonly isUnclaimed: (lane: Lane) => boolean },
): Promise<number | undefined> {
  const found = await Promise.all([oldestLane(models, now), oldestMarked(models, now, isUnclaimed)]);
  const instants = found.filter((at) => at !== undefined);
  return instants.length > 0 ? Math.min(...instants) : undefined;
}

/** Since when the longest due lane has been due, among the lanes whose due time says so. */
async function oldestLane({ subscriptions }: Pick<Models, 'subscriptions'>, now: () => number) {
  const overdue = await subscriptions
    .findOne(
      { status: 'enabled', due_at: { $lte: new Date(now()), $gt: atOnce }, ...activeAccount },
      { due_at: 1 },
    )
    .sort({ due_at: 1 })
    .hint(indexNames.lanes)
    .maxTimeMS(readTimeoutMs)
    .lean();
  return overdue?.due_at.getTime();
}

/**
 * Since when the oldest delivery of lanes that are marked as due at once has been due: the mark does not say since when. A
 * lane that a worker works on may be marked again while its older deliveries wait for their endpoint, so only others count.
 */
async function oldestMarked(
  { subscriptions, deliveries }: Pick<Models, 'subscriptions' | 'deliveries'>,
  now: () => number,
  isUnclaimed: (lane: Lane) => boolean,
) {
  const lanes = await subscriptions
    .find(
      { status: 'enabled', due_at: { $lte: atOnce }, ...activeAccount },
      { account: 1 },
      { maxTimeMS: readTimeoutMs },
    )
    .limit(markedLanes.read)
    .hint(indexNames.lanes)
    .lean();
  const ids = lanes
    .filter(isUnclaimed)
    .slice(0, markedLanes.searched)
    .map(({ _id }) => _id);
  if (ids.length === 0) return undefined;
  const oldest = await deliveries
    .findOne(
      {
        subscription: { $in: ids },
        status: 'pending',
        lease: null,
        next_attempt_at: { $lte: new Date(now()) },
      },
      { next_attempt_at: 1 },
    )
    .sort({ next_attempt_at: 1 })
    .hint(indexNames.due)
    .maxTimeMS(readTimeoutMs)
    .lean();
  return oldest?.next_attempt_at?.getTime();
}
