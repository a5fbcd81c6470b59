import { indexNames } from './indexes.ts';
import { atOnce, isFree } from './lane-store.ts';
import type { Models } from './models.ts';

/** Counting deliveries ends here: more is "very many" to an alert, an autoscaler and a person. */
export const mostCounted = 20_000;
/** No read goes on in the store for longer than its reader waits for it, in milliseconds. */
export const readTimeoutMs = 1_000;
/** Lanes marked as due at once that are looked at for the oldest delivery, and that are read to find them. */
const marked = { looked: 100, read: 1_000 };

type Lane = { readonly _id: string; readonly account: string };

/** Deliveries that have not ended; 20,000 stands for more, too. */
export function countPending({ deliveries }: Pick<Models, 'deliveries'>): Promise<number> {
  return deliveries
    .countDocuments({ status: 'pending' }, { limit: mostCounted, maxTimeMS: readTimeoutMs })
    .hint(indexNames.due);
}

/**
 * Since when the oldest waits that is due and that no worker has taken, in Unix milliseconds; undefined where nothing does.
 * A lane that is marked as due at once counts where `missesMarked` says that nobody has it in hand.
 */
export async function oldestUntaken(
  models: Pick<Models, 'subscriptions' | 'deliveries'>,
  { now, missesMarked }: { readonly now: () => number; readonly missesMarked: (lane: Lane) => boolean },
): Promise<number | undefined> {
  const found = await Promise.all([oldestLane(models, now), oldestMarked(models, now, missesMarked)]);
  const instants = found.filter((at) => at !== undefined);
  return instants.length > 0 ? Math.min(...instants) : undefined;
}

/** Of lanes that say since when they are due. */
async function oldestLane({ subscriptions }: Pick<Models, 'subscriptions'>, now: () => number) {
  const overdue = await subscriptions
    .findOne({ status: 'enabled', due_at: { $lte: new Date(now()), $gt: atOnce }, ...isFree }, { due_at: 1 })
    .sort({ due_at: 1 })
    .hint(indexNames.lanes)
    .maxTimeMS(readTimeoutMs)
    .lean();
  return overdue?.due_at.getTime();
}

/**
 * A lane that is marked does not say since when: its oldest delivery does. Only of those that are missed: of a lane in hand,
 * marked again for a new event, what waits may wait for its endpoint.
 */
async function oldestMarked(
  { subscriptions, deliveries }: Pick<Models, 'subscriptions' | 'deliveries'>,
  now: () => number,
  misses: (lane: Lane) => boolean,
) {
  const lanes = await subscriptions
    .find(
      { status: 'enabled', due_at: { $lte: atOnce }, ...isFree },
      { account: 1 },
      { maxTimeMS: readTimeoutMs },
    )
    .limit(marked.read)
    .hint(indexNames.lanes)
    .lean();
  const ids = lanes
    .filter(misses)
    .slice(0, marked.looked)
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
