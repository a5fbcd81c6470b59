import { SigcastError } from '@sigcast/contracts';
import type { AttemptResult, AttemptStore, Claimed, LaneStore } from './attempting.ts';
import { nextStep } from './delivery.ts';
import { goneStatus } from './disabling.ts';
import type { Lane } from './lane.ts';
import { retryDelayMs } from './retry-schedule.ts';

export type AttemptDeps = {
  readonly attempts: AttemptStore;
  readonly lanes: LaneStore;
  readonly membership: { owns(account: string): boolean };
  readonly send: (claimed: Claimed) => Promise<AttemptResult & { readonly retryAfterMs?: number }>;
  /** Pauses before each retry, in milliseconds; their number is the number of retries. */
  readonly retryDelaysMs: readonly number[];
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  /** Waits before try number `attempt` (from 1) at writing an outcome. */
  readonly pause: (attempt: number) => Promise<void>;
  /**
   * Told of a delivery that has ended, or has failed while its endpoint's circuit is open, once that is written. May fail:
   * then the next one says the same.
   */
  readonly ended: (
    claimed: Claimed,
    status: 'delivered' | 'failed',
    httpStatus: number | null,
  ) => Promise<unknown>;
  readonly onAttempt: (
    claimed: Claimed,
    result: AttemptResult,
    span: readonly [startedAtMs: number, endedAtMs: number],
  ) => void;
};

/**
 * Attempts a claimed delivery, writes what came of it, and sees to it that a retry is found at its time.
 * @throws what the store throws, unless it is just away: then the outcome is written when it is back.
 */
export async function attemptDelivery(lane: Lane, claimed: Claimed, deps: AttemptDeps): Promise<void> {
  const { attempts, lanes, membership, retryDelaysMs, now, random, pause } = deps;
  const { delivery } = claimed;
  const { limit } = lane;
  const startedAt = now();
  const { retryAfterMs = 0, ...result } = await deps.send(claimed);
  const endedAt = now();
  limit.note(result.outcome, lane.inFlight, endedAt);
  deps.onAttempt(claimed, result, [startedAt, endedAt]);
  if (result.outcome === 'succeeded' && !claimed.proven) {
    // Written before anything more is claimed: a claim that knows less than the store would be refused.
    await persist(() => lanes.prove(lane.id, claimed.url), pause);
    limit.prove();
  }
  const count = delivery.attemptCount + 1;
  const attempt = {
    number: count,
    started_at: new Date(startedAt).toISOString(),
    duration_ms: endedAt - startedAt,
    ...result,
  };
  const retries = result.http_status === goneStatus ? 0 : retryDelaysMs.length;
  const next = nextStep(result.outcome === 'succeeded', count, retries, delivery.round);
  if (next.status === 'pending') {
    const delayMs = Math.max(retryDelayMs(retryDelaysMs[next.step] ?? 0, random), retryAfterMs);
    const nextAttemptAt = new Date(endedAt + delayMs);
    // First the lane, then the delivery: a worker that dies in between still holds the delivery. A lane in hand comes
    // due by itself when this worker dies, and is looked at again before it is let go.
    const mark = () => persist(() => lanes.markDueAt(lane.id, nextAttemptAt), pause);
    const inHand = lane.taken && !lane.settling;
    if (!inHand) await mark();
    await persist(() => attempts.complete(claimed, { attempt, status: 'pending', nextAttemptAt }), pause);
    lane.lookAgain();
    if (!membership.owns(lane.account)) {
      // Its worker may have looked while the delivery was under way here.
      await persist(() => lanes.markDue([lane.id]), pause);
    } else if (inHand && !lane.taken) {
      await mark();
    }
    // An endpoint that gets one request at a time ends few deliveries, or none for weeks.
    if (limit.open) await deps.ended(claimed, 'failed', result.http_status);
    return;
  }
  const written = await persist(
    () => attempts.complete(claimed, { attempt, status: next.status, nextAttemptAt: null }),
    pause,
  );
  if (written) await deps.ended(claimed, next.status, result.http_status);
}

/** Writes an outcome, again and again while the store is away: an outcome that is lost costs the receiver a repetition. */
async function persist<T>(write: () => Promise<T>, pause: AttemptDeps['pause']): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const passing = error instanceof SigcastError && error.retryable;
      if (!passing) throw error;
      await pause(attempt);
    }
  }
}
