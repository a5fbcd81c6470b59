import type { Claimed } from './attempting.ts';

/** A subscription whose deliveries all failed for this long is disabled, in milliseconds. */
export const disableAfterMs = 3 * 86_400_000;

/**
 * A subscription whose deliveries all failed for this long is reported to its account, in milliseconds: an outage of a
 * night is over by then, and two days are left to mend what is not.
 */
export const tellAfterMs = 86_400_000;

/** When a subscription that fails since an instant is disabled, unless a delivery succeeds. */
export function disablesAt(failingSince: Date): Date {
  return new Date(failingSince.getTime() + disableAfterMs);
}

/** By this status a receiver says that it wants nothing any more (RFC 9110, 15.5.11). */
export const goneStatus = 410;

/** What is kept of a subscription's failing. */
export type FailureRecord = {
  /** Notes since when deliveries fail, unless that is noted already. */
  noteFailing(subscription: string, since: Date): Promise<void>;
  /** They do not all fail any more. */
  clearFailing(subscription: string): Promise<void>;
  /** When a delivery last succeeded, if that was after `since`; undefined if none has. */
  lastSuccess(subscription: string, since: Date): Promise<Date | undefined>;
  /** Fails on from a later instant than was noted. */
  moveFailing(subscription: string, from: Date, to: Date): Promise<void>;
  /** Notes in one write that the account is to be told, and for whom, unless it was told of this very failing. */
  tellFailing(subscription: string, since: Date, at: Date): Promise<void>;
  /** Disables the subscription if it is enabled, its address being gone, and has the account told. True when this call did it. */
  disableGone(subscription: string, url: string, at: Date): Promise<boolean>;
  /** The same if it is failing since that very instant. */
  disableFailing(subscription: string, since: Date, at: Date): Promise<boolean>;
};

/**
 * Draws the conclusion from a delivery that has ended, or has failed while its endpoint's circuit is open. Costs nothing while a subscription does well. The note is but
 * a hint, since a success beside it may have missed it: the log decides.
 *
 * @returns true when the subscription has been disabled.
 */
export async function concludeDelivery(
  { delivery, failing, url }: Claimed,
  { status, httpStatus }: { readonly status: 'delivered' | 'failed'; readonly httpStatus: number | null },
  { record, now }: { readonly record: FailureRecord; readonly now: () => number },
): Promise<boolean> {
  const { subscription } = delivery;
  if (status === 'delivered') {
    if (failing !== null) await record.clearFailing(subscription);
    return false;
  }
  const at = new Date(now());
  if (httpStatus === goneStatus) return record.disableGone(subscription, url, at);
  // What was sent by hand says nothing about days.
  if (delivery.round.once) return false;
  if (failing === null) {
    await record.noteFailing(subscription, at);
    return false;
  }
  const failedMs = at.getTime() - failing.since.getTime();
  if (failedMs < tellAfterMs || (failing.told && failedMs < disableAfterMs)) return false;
  const success = await record.lastSuccess(subscription, failing.since);
  if (success !== undefined) await record.moveFailing(subscription, failing.since, success);
  // Nobody is disabled untold, however rarely anything is sent.
  else if (failing.told) return record.disableFailing(subscription, failing.since, at);
  else await record.tellFailing(subscription, failing.since, at);
  return false;
}
