import { backoffMs, CircuitBreaker, keepDoing, pause, type Resources, type Try } from '@sigcast/runtime';
import { type ClaimDeps, type Problem, processClaim, taskOf } from './claim.ts';

export type PollerOptions = {
  /** How long a poller has for the signals of a claim, in milliseconds. */
  readonly leaseMs: number;
  /** The pauses between tries while something fails, in milliseconds. Default: from 1 s up to a minute. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  /** Claims that are worked on at once. */
  readonly atOnce?: number;
};

/** Enough for one process to reach DexScreener's limit of five requests a second with answers that take more than a second. */
const usualAtOnce = 8;

/** The longest time until the poller looks for due signals again, in milliseconds: new ones are due at once. */
const lookEveryMs = 500;

/**
 * Follows the market until `resources` are released: claims due signals, as many as one request takes, and processes some
 * claims at once. While the market, Redis, the signals service or the store is away, the poller pauses longer and longer, and
 * tries with a single claim. The release ends requests to the market, and waits until all leases are given back.
 */
export function startPoller(deps: ClaimDeps, options: PollerOptions, resources: Resources): void {
  const { leaseMs, backoff = { firstMs: 1_000, maxMs: 60_000 }, atOnce = usualAtOnce } = options;
  const { store, permits, schedule, log } = deps;
  const breaker = new CircuitBreaker({ pauseMs: (failures) => backoffMs(failures, backoff) });
  const working = new Set<Promise<void>>();
  /** Whether the loop has a permit that no request has used. */
  let hasPermit = false;

  const takePermit = async (stopping: AbortSignal) => {
    for (let waitMs = await permits.take(); waitMs > 0; waitMs = await permits.take()) {
      await pause(waitMs, stopping);
    }
  };

  const failed = (attempt: Try, { what, reason, isOfOne = false }: Problem) => {
    const isFirst = breaker.failures === 0;
    if (attempt.failed(!isOfOne) && isFirst) log.warn({ reason }, `polling pauses: ${what}`);
  };
  const succeeded = (attempt: Try) => {
    const { failures } = breaker;
    if (attempt.succeeded() && failures > 0) log.info({ failures }, 'polling goes on');
  };

  /** Claims signals and begins to work on them. @returns the pause until the next claim, in milliseconds. */
  const claimNext = async (attempt: Try, stopping: AbortSignal): Promise<number> => {
    const dueInMs = await store.dueInMs();
    if (dueInMs !== 0) {
      // A request with a permit kept for long could go at the same time as one with the next permit.
      hasPermit = false;
      attempt.abandoned();
      return Math.min(dueInMs ?? lookEveryMs, lookEveryMs);
    }
    // Before the claim, so that no lease goes by while the poller waits.
    if (!hasPermit) await takePermit(stopping);
    hasPermit = true;
    const claim = await store.claim(leaseMs);
    if (claim.signals.length === 0) {
      attempt.abandoned();
      return 0;
    }
    if (claim.signals.some((signal) => taskOf(signal, schedule, claim.nowMs) === 'ask')) hasPermit = false;
    const work = processClaim(deps, claim, stopping).then(
      (problem) => {
        if (problem === undefined) succeeded(attempt);
        else if (!stopping.aborted) failed(attempt, problem);
      },
      (err: unknown) => failed(attempt, { what: 'the store does not answer', reason: String(err) }),
    );
    const tracked = work.finally(() => working.delete(tracked));
    working.add(tracked);
    return 0;
  };

  const step = async (stopping: AbortSignal): Promise<number | undefined> => {
    if (working.size >= atOnce) await Promise.race(working);
    if (breaker.failures > 0) await Promise.all(working);
    const attempt = breaker.begin();
    if (attempt === undefined) {
      hasPermit = false;
      return breaker.pauseLeftMs;
    }
    try {
      return await claimNext(attempt, stopping);
    } catch (error) {
      if (stopping.aborted) return undefined;
      failed(attempt, { what: 'the store or Redis does not answer', reason: String(error) });
      return 0;
    }
  };

  resources.defer(async () => {
    await Promise.all(working);
  });
  keepDoing(step, resources);
}
