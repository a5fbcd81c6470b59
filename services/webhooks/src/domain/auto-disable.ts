import type { ClaimedDelivery } from './attempt-ports.ts';

/** A subscription is disabled when all its deliveries failed for this long, in milliseconds. */
export const disableAfterMs = 3 * 86_400_000;

/**
 * The account is notified when all deliveries of a subscription failed for this long, in milliseconds: longer than an outage
 * of one night, and two days before the subscription is disabled.
 */
export const notifyAfterMs = 86_400_000;

/** When a subscription that has failed since an instant is disabled, unless a delivery succeeds before. */
export function disablesAt(failingSince: Date): Date {
  return new Date(failingSince.getTime() + disableAfterMs);
}

/** Since when subscriptions fail. A streak of failures begins with the first failure after a success. */
export type FailureStreakStore = {
  /** Stores that a streak began at `since`, or at a success after that, unless one is stored. */
  begin(subscription: string, since: Date): Promise<void>;
  /** Ends the streak, a delivery having succeeded. Adds a notice if the account was notified of the streak. */
  end(subscription: string, at: Date): Promise<void>;
  /** When a delivery last succeeded after `since`; undefined if none has. */
  lastSuccess(subscription: string, since: Date): Promise<Date | undefined>;
  /** Moves the begin of a streak from one instant to a later one. */
  moveBegin(subscription: string, from: Date, to: Date): Promise<void>;
  /** Adds a notice for the account to the subscription in one write, unless the account was notified of this streak. */
  addNotice(subscription: string, since: Date, at: Date): Promise<void>;
  /** Disables the subscription, if it is enabled and has this address, and adds a notice. True when this call disabled it. */
  disableGone(subscription: string, url: string, at: Date): Promise<boolean>;
  /** Disables the subscription, if its streak began at `since`, and adds a notice. True when this call disabled it. */
  disableFailing(subscription: string, since: Date, at: Date): Promise<boolean>;
};

/**
 * Disables a subscription whose deliveries have failed for too long. To be called when a delivery has ended, or has failed
 * while its endpoint's circuit is open. `startedAt`: when its last attempt began. A success without a streak before it costs no command. The stored begin of a streak
 * is a hint, because a concurrent success may not have ended the streak: the delivery log decides.
 *
 * @returns true when the subscription has been disabled.
 */
export async function checkAutoDisable(
  { delivery, failing, url }: ClaimedDelivery,
  outcome: { readonly status: 'delivered' | 'failed'; readonly gone: boolean; readonly startedAt: Date },
  { streaks, now }: { readonly streaks: FailureStreakStore; readonly now: () => number },
): Promise<boolean> {
  const { subscription, cycle, attempts } = delivery;
  const { status, gone, startedAt } = outcome;
  if (status === 'delivered') {
    if (failing !== null) await streaks.end(subscription, new Date(now()));
    return false;
  }
  const at = new Date(now());
  if (gone) return streaks.disableGone(subscription, url, at);
  // A single attempt by hand says nothing about the days before.
  if (cycle.once) return false;
  if (failing === null) {
    // Every attempt of this cycle has failed. Other deliveries may have succeeded meanwhile.
    const first = attempts.find(({ number }) => number > cycle.from);
    await streaks.begin(subscription, first === undefined ? startedAt : new Date(first.started_at));
    return false;
  }
  const failedMs = at.getTime() - failing.since.getTime();
  if (failedMs < notifyAfterMs || (failing.notified && failedMs < disableAfterMs)) return false;
  const success = await streaks.lastSuccess(subscription, failing.since);
  if (success !== undefined) await streaks.moveBegin(subscription, failing.since, success);
  // The account is notified before its subscription is disabled, however rarely an event is sent.
  else if (failing.notified) return streaks.disableFailing(subscription, failing.since, at);
  else await streaks.addNotice(subscription, failing.since, at);
  return false;
}
