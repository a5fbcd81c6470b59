import type { AttemptStore, PendingDelivery } from './attempting.ts';

/** What a lane may begin, and when it has to be looked at again. */
export type Look = {
  readonly due: readonly PendingDelivery[];
  /** When the next one is due, where none is now. */
  readonly next: Date | undefined;
  /** Nothing else is due. */
  readonly complete: boolean;
  /** Why what comes next does not begin though nothing says when it may. */
  readonly blocked: Blocked | undefined;
};

/** It is under way elsewhere, or stands at this place while an event before it may not have all its deliveries. */
export type Blocked = 'attempted' | { readonly place: number };

/**
 * What an ordered lane may begin, in the feed's order: nothing behind a delivery that is attempted elsewhere or waits for
 * its retry, and nothing of an event that follows one whose deliveries may not all be made. What has no place in the feed
 * (tests, notices, what was made before the subscription was ordered) goes first and holds up nothing. What was made
 * before is found by its due time, so it waits while `limit` others have been due for longer.
 */
export async function lookInOrder(
  subscription: string,
  attempts: AttemptStore,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<Look> {
  // First the mark: what is made up to it is there to be found then.
  const madeUpTo = await attempts.fannedOutUpTo();
  const [beside, oldest, placed] = await Promise.all([
    attempts.besideOrder(subscription, limit),
    attempts.oldestPending(subscription, { limit, since: undefined }),
    attempts.inOrder(subscription, limit),
  ]);
  const isDue = ({ dueAt }: PendingDelivery) => dueAt.getTime() <= nowMs;
  const unplaced = [...beside, ...oldest.filter(({ place }) => place === undefined)];
  const stop = placed.findIndex((one) => one.leased || !isDue(one) || one.place > madeUpTo + 1);
  const first = stop < 0 ? undefined : placed[stop];
  const later = [...unplaced, ...(first && !first.leased ? [first] : [])].filter((one) => !isDue(one));
  return {
    due: [...unplaced.filter(isDue), ...(stop < 0 ? placed : placed.slice(0, stop))],
    next: later.map(({ dueAt }) => dueAt).sort((one, other) => one.getTime() - other.getTime())[0],
    complete: first !== undefined || placed.length < limit,
    blocked: first?.leased ? 'attempted' : first && isDue(first) ? { place: first.place } : undefined,
  };
}
