import type { AttemptStore, PendingDelivery, PendingInFeed } from './attempt-ports.ts';

/** Which deliveries a lane may begin, and when to query it again. */
export type LaneQueryResult = {
  readonly due: readonly PendingDelivery[];
  /** When the next delivery is due, where none is now. */
  readonly next: Date | undefined;
  /** Whether nothing else is due. */
  readonly complete: boolean;
  /** Why the next delivery may not begin, where no time is known at which it may. */
  readonly blocked: Blocked | undefined;
};

/** Another worker attempts the delivery, or its event has this sequence number and an earlier event may lack deliveries. */
export type Blocked = 'attempted' | { readonly sequence: number };

/**
 * Queries which deliveries an ordered lane may begin, in the feed's order: nothing behind a delivery that another worker
 * attempts or that waits for its retry, and nothing behind an event whose deliveries may not all be made. Deliveries outside
 * of the feed's order go first and block nothing: tests, notices, and deliveries made before the subscription was ordered.
 * The latter are found by their due times, so they wait while `limit` others have been due for longer.
 */
export async function queryInFeedOrder(
  subscription: string,
  attempts: AttemptStore,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<LaneQueryResult> {
  // The watermark is read first: the queries after it find every delivery up to the watermark.
  const watermark = await attempts.fanOutWatermark();
  const [outsideFeed, oldest, inFeed] = await Promise.all([
    attempts.pendingOutsideFeed(subscription, limit),
    attempts.oldestPending(subscription, { limit, since: undefined }),
    attempts.pendingInFeed(subscription, limit),
  ]);
  const isDue = ({ dueAt }: PendingDelivery) => dueAt.getTime() <= nowMs;
  const unordered = [...outsideFeed, ...oldest.filter(({ sequence }) => sequence === undefined)];
  const stop = inFeed.findIndex((one) => one.leased || !isDue(one) || one.sequence > watermark + 1);
  const blocking = stop < 0 ? undefined : inFeed[stop];
  const later = [...unordered, ...(blocking && !blocking.leased ? [blocking] : [])].filter(
    (one) => !isDue(one),
  );
  return {
    due: [...unordered.filter(isDue), ...(stop < 0 ? inFeed : inFeed.slice(0, stop))],
    next: later.map(({ dueAt }) => dueAt).sort((one, other) => one.getTime() - other.getTime())[0],
    complete: blocking !== undefined || inFeed.length < limit,
    blocked: blockedBy(blocking, isDue),
  };
}

function blockedBy(
  blocking: PendingInFeed | undefined,
  isDue: (delivery: PendingDelivery) => boolean,
): Blocked | undefined {
  if (blocking === undefined) return undefined;
  if (blocking.leased) return 'attempted';
  return isDue(blocking) ? { sequence: blocking.sequence } : undefined;
}
