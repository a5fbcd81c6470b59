import type { AttemptStore } from './attempt-ports.ts';
import { type Lane, maxReady as limit } from './lane.ts';
import { type LaneQueryResult, queryInFeedOrder } from './ordered-lane-query.ts';

/** Queries which deliveries a lane may begin: the oldest due first, or in the feed's order. `hasSlot`: it is begun here already. */
export async function queryLane(
  lane: Lane,
  attempts: AttemptStore,
  { nowMs, hasSlot }: { readonly nowMs: number; readonly hasSlot: (deliveryId: string) => boolean },
): Promise<LaneQueryResult> {
  if (lane.ordered && !lane.disabledAt) return queryInFeedOrder(lane.id, attempts, { nowMs, limit });
  const found = await attempts.oldestPending(lane.id, { limit, since: lane.disabledAt });
  const next = found.find(({ dueAt }) => dueAt.getTime() > nowMs)?.dueAt;
  return {
    due: found.filter(({ id, dueAt }) => dueAt.getTime() <= nowMs && !hasSlot(id)),
    next,
    complete: found.length < limit || next !== undefined,
    blocked: undefined,
  };
}
