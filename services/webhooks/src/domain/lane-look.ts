import type { AttemptStore } from './attempting.ts';
import type { Lane } from './lane.ts';
import { type Look, lookInOrder } from './ordered-look.ts';

/** Due deliveries of a lane that are looked up in one go. */
const limit = 100;

/** What a lane may begin, the oldest due first, or in the feed's order. `isInHand`: it has a place in this worker. */
export async function lookUp(
  lane: Lane,
  attempts: AttemptStore,
  { nowMs, isInHand }: { readonly nowMs: number; readonly isInHand: (deliveryId: string) => boolean },
): Promise<Look> {
  if (lane.ordered && !lane.disabledAt) return lookInOrder(lane.id, attempts, { nowMs, limit });
  const found = await attempts.oldestPending(lane.id, { limit, since: lane.disabledAt });
  const next = found.find(({ dueAt }) => dueAt.getTime() > nowMs)?.dueAt;
  return {
    due: found.filter(({ id, dueAt }) => dueAt.getTime() <= nowMs && !isInHand(id)),
    next,
    complete: found.length < limit || next !== undefined,
    blocked: undefined,
  };
}
