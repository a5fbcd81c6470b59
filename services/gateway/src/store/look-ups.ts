import { SigcastError, unavailable } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { CircuitBreaker, waitAtMost } from '@sigcast/runtime';

/** Default of `timeoutMs`. */
const lookUpTimeoutMs = 1_000;
/** After a failed look-up, all look-ups fail at once for this long. Then one is tried. */
const restMs = 500;

export type LookUpsOptions = {
  /** When a look-up times out, in milliseconds. Default: a second. */
  readonly timeoutMs?: number;
  /** Called for every look-up that failed or timed out. */
  readonly onFailure?: () => void;
  readonly nowMs?: () => number;
};

/** Look-ups in MongoDB that requests wait for: with a timeout and a circuit breaker. */
export class LookUps {
  readonly #timeoutMs: number;
  readonly #onFailure: () => void;
  readonly #breaker: CircuitBreaker;

  constructor(options: LookUpsOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? lookUpTimeoutMs;
    this.#onFailure = options.onFailure ?? (() => undefined);
    this.#breaker = new CircuitBreaker({ pauseMs: () => restMs, nowMs: options.nowMs });
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when MongoDB does not answer in time, or the breaker is open. */
  async ask<T>(lookUp: () => Promise<T>): Promise<T> {
    const attempt = this.#breaker.begin();
    if (attempt === undefined) throw unavailable('The key store');
    try {
      const found = await waitAtMost(
        this.#timeoutMs,
        storeCall(async () => ({ answer: await lookUp() })),
      );
      if (found === undefined) throw unavailable('The key store');
      attempt.succeeded();
      return found.answer;
    } catch (error) {
      if (error instanceof SigcastError && !isOutage(error)) attempt.succeeded();
      else {
        this.#onFailure();
        attempt.failed();
      }
      throw error;
    }
  }
}

/** Whether an error means that the store failed, rather than the request. */
export function isOutage(error: unknown): boolean {
  return error instanceof SigcastError && error.code === 'SERVICE_UNAVAILABLE';
}
