import type { AttemptStore, PendingDelivery } from './attempting.ts';

/** What a lane may begin, and when it has to be looked at again. */
export type Look = {
  readonly due: readonly PendingDelivery[];
  /** When the next one is due, where none is now. */
  readonly next: Date | undefined;
  /** Nothing else is due. */
  readonly complete: boolean;
  /** What comes next is somebody else's for now, or may not be there yet. */
  readonly blocked: boolean;
};

/**
 * What an ordered lane may begin, in the feed's order: nothing behind a delivery that is attempted elsewhere or waits for
 * its retry, and nothing of an event that follows one whose deliveries may not all be made. What has no place (tests,
 * events that are not in the feed, what was made before the subscription was ordered) goes first and holds up nothing.
 */
export async function lookInOrder(
  subscription: string,
  attempts: AttemptStore,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<Look> {
  // First the mark: what is made up to it is there to be found then.
  const madeUpTo = await attempts.fannedOutUpTo();
  const [oldest, placed] = await Promise.all([
    attempts.oldestPending(subscription, { limit, since: undefined }),
    attempts.inOrder(subscription, limit),
  ]);
  const isDue = ({ dueAt }: PendingDelivery) => dueAt.getTime() <= nowMs;
  const unplaced = oldest.filter(({ place }) => place === undefined);
  const stop = placed.findIndex((one) => one.leased || !isDue(one) || one.place > madeUpTo + 1);
  const first = stop < 0 ? undefined : placed[stop];
  const later = [...unplaced, ...(first && !first.leased ? [first] : [])].filter((one) => !isDue(one));
  return {
    due: [...unplaced.filter(isDue), ...(stop < 0 ? placed : placed.slice(0, stop))],
    next: later.map(({ dueAt }) => dueAt).sort((one, other) => one.getTime() - other.getTime())[0],
    complete: first !== undefined || placed.length < limit,
    blocked: first !== undefined && (first.leased || isDue(first)),
  };
}
