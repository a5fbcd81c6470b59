import { type DeliveryAttempt, isRetryable } from '@sigcast/contracts';
import type { AttemptResult, AttemptStore, ClaimedDelivery, LaneStore, SendResult } from './attempt-ports.ts';
import { type DeliveryRecord, failedStatus, nextStep } from './delivery.ts';
import type { Lane } from './lane.ts';
import { retryDelayMs } from './retry-schedule.ts';

/** The longest wait that a receiver can ask for, in milliseconds. */
const maxWaitMs = 3_600_000;

export type AttemptDeps = {
  readonly attempts: AttemptStore;
  readonly lanes: LaneStore;
  readonly membership: { owns(account: string): boolean };
  readonly send: (claimed: ClaimedDelivery) => Promise<SendResult>;
  /** Called when a receiver asks to wait until an instant, in Unix milliseconds. */
  readonly holdBack: (lane: Lane, untilMs: number) => void;
  /** Pauses before each retry, in milliseconds; their number is the number of retries. */
  readonly retryDelaysMs: readonly number[];
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  /** Waits before the next try to write an outcome; `attempt` counts the tries from 1. */
  readonly pause: (attempt: number) => Promise<void>;
  /**
   * Called after the outcome is written, when a delivery has ended or has failed while its endpoint's circuit is open. If
   * the call fails, the next outcome leads to the same check.
   */
  readonly checkAutoDisable: (
    claimed: ClaimedDelivery,
    outcome: { readonly status: 'delivered' | 'failed'; readonly gone: boolean; readonly startedAt: Date },
  ) => Promise<unknown>;
  readonly onAttempt: (
    claimed: ClaimedDelivery,
    result: AttemptResult,
    times: readonly [startedAtMs: number, tookMs: number],
  ) => void;
};

/**
 * Attempts a claimed delivery with those of its batch, writes the outcomes, and notes when the lane is due for a retry. While the
 * store is unavailable, it tries again to write an outcome. The first delivery of a batch, which keeps what belongs to it, is
 * written last: until then the batch is attempted again.
 * @throws any other error of the store.
 */
export async function attemptDelivery(
  lane: Lane,
  claimed: ClaimedDelivery,
  deps: AttemptDeps,
): Promise<void> {
  const { attempts, lanes, membership, retryDelaysMs, now, random, pause } = deps;
  const { delivery } = claimed;
  const { limit } = lane;
  const startedAt = now();
  // The store's clock steps at each heartbeat, also back.
  const begun = performance.now();
  const { retryAfterMs = 0, gone = false, ...result } = await deps.send(claimed);
  const tookMs = performance.now() - begun;
  const endedAt = now();
  const waitMs = Math.min(retryAfterMs, maxWaitMs);
  if (waitMs > 0) deps.holdBack(lane, endedAt + waitMs);
  limit.record(result.outcome, lane.inFlight, endedAt);
  deps.onAttempt(claimed, result, [startedAt, tookMs]);
  const succeeded = result.outcome === 'succeeded';
  if (succeeded && !claimed.proven) {
    // Written before the lane claims more: a claim for a proven address is refused until the store has `proven`.
    await persist(() => lanes.prove(lane.id, claimed.url), pause);
    limit.markProven();
  }
  const { batch } = claimed;
  const made = {
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Math.round(tookMs * 10) / 10,
    ...(batch && { batch: { id: batch.id, events: batch.events.length, first: delivery.id } }),
  };
  const retries = gone ? 0 : retryDelaysMs.length;
  const next = nextStep({
    succeeded,
    attemptCount: delivery.attemptCount + 1,
    retries,
    cycle: delivery.cycle,
  });
  const waits = next.status === 'pending';
  const delayMs = waits ? retryDelayMs(retryDelaysMs[next.step] ?? 0, random) : 0;
  const nextAttemptAt = new Date(endedAt + Math.max(delayMs, waitMs));
  // The first decides for all: they stay together until they have ended.
  const statusOf = ({ cycle }: DeliveryRecord) =>
    next.status === 'failed' ? failedStatus(cycle) : next.status;
  const complete = (one: ClaimedDelivery, sent: Omit<DeliveryAttempt, 'number' | keyof typeof made>) => {
    const attempt = { number: one.delivery.attemptCount + 1, ...made, ...sent };
    const outcome = { attempt, status: statusOf(one.delivery), nextAttemptAt: waits ? nextAttemptAt : null };
    return persist(() => attempts.complete(one, outcome), pause);
  };
  const completeAll = async () => {
    // What was sent and answered is kept with the first alone.
    const { outcome, http_status, error } = result;
    const short = { outcome, http_status, error, response_body: null };
    await Promise.all((batch?.others ?? []).map((one) => complete(one, short)));
    return complete(claimed, result);
  };
  const check = (status: 'delivered' | 'failed') =>
    deps.checkAutoDisable(claimed, { status, gone, startedAt: new Date(startedAt) });
  if (waits) {
    // A lane that this worker works on needs no mark: it is due when its hold ends.
    const markRetry = async (at?: Date) => {
      if (lane.active && membership.owns(lane.account)) return;
      await persist(() => lanes.markDue([lane.id], at), pause);
    };
    // In case this worker dies before the next mark.
    await markRetry(nextAttemptAt);
    await completeAll();
    if (lane.ordered) lane.invalidate();
    lane.noteDue(nextAttemptAt.getTime());
    // At once: the lane's worker may have queried it while this worker had the delivery, and is about to release it.
    await markRetry();
    // Deliveries to an endpoint with an open circuit may not end for weeks, so their failures are checked, too.
    if (limit.open) await check('failed');
    return;
  }
  const written = await completeAll();
  if (written) await check(succeeded ? 'delivered' : 'failed');
}

/** Retries a write while the store is unavailable: if an outcome is lost, the receiver gets the event again. */
async function persist<T>(write: () => Promise<T>, pause: AttemptDeps['pause']): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await pause(attempt);
    }
  }
}
