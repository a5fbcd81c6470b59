import { CircuitBreaker, pause } from '@sigcast/runtime';
import type { Permits } from './permits.ts';
import type { Source, SourceAnswer } from './source.ts';

/** A source that is asked as often as it allows, and not at all for a while after it has failed. */
export type LimitedSource = {
  /**
   * Waits for a permit and asks. Without one, as Redis is away, or while the source pauses, the answer is the failure `paused`.
   * @throws when `stopping` or `permitBy` is aborted while it waits
   */
  get(
    path: string,
    stopping: AbortSignal,
    permitBy?: AbortSignal,
  ): Promise<SourceAnswer | { readonly kind: 'paused'; readonly reason: string }>;
  /** How often it has failed in a row. */
  readonly failures: number;
};

/** Failures that say nothing about whether the source answers others. */
const ofOneRequest: ReadonlySet<string> = new Set(['answered', 'refused']);

export function limitedSource(
  source: Source,
  {
    permits,
    pauseMs,
    answered,
  }: {
    readonly permits: Permits;
    /** The pause after so many failures in a row, in milliseconds. */
    readonly pauseMs: (failures: number) => number;
    /** Told how each request ended. */
    readonly answered: (answer: SourceAnswer) => void;
  },
): LimitedSource {
  const breaker = new CircuitBreaker({ pauseMs });
  return {
    get failures() {
      return breaker.failures;
    },
    get: async (path, stopping, permitBy = stopping) => {
      const waiting = AbortSignal.any([stopping, permitBy]);
      const attempt = breaker.begin();
      if (attempt === undefined)
        return { kind: 'paused', reason: `it has failed ${breaker.failures} times in a row` };
      try {
        for (let waitMs = await permits.take(); waitMs > 0; waitMs = await permits.take()) {
          await pause(waitMs, waiting);
        }
      } catch (error) {
        attempt.abandoned();
        waiting.throwIfAborted();
        return { kind: 'paused', reason: `there is no permit: ${String(error)}` };
      }
      const answer = await source.get(path, stopping);
      answered(answer);
      if (ofOneRequest.has(answer.kind)) attempt.succeeded();
      else if (stopping.aborted) attempt.abandoned();
      else attempt.failed();
      // Without Redis nobody asks anyway.
      if (answer.kind !== 'answered' && answer.retryAfterMs !== undefined)
        await permits.pause(answer.retryAfterMs).catch(() => undefined);
      return answer;
    },
  };
}
