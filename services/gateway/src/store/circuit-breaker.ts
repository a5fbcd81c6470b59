import { SigcastError, unavailable } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';

/** Default of `timeoutMs`. */
const lookUpTimeoutMs = 1_000;
/** After a failed look-up, all look-ups fail at once for this long. */
const restMs = 500;

export type CircuitBreakerOptions = {
  readonly clock: () => number;
  /** When a look-up times out, in milliseconds. Default: a second. */
  readonly timeoutMs?: number;
  /** Called for every look-up that failed or timed out. */
  readonly onFailure?: () => void;
};

/** A timeout and circuit breaker for look-ups in MongoDB. */
export class CircuitBreaker {
  readonly #clock: () => number;
  readonly #timeoutMs: number;
  readonly #onFailure: () => void;
  #restUntilMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#clock = options.clock;
    this.#timeoutMs = options.timeoutMs ?? lookUpTimeoutMs;
    this.#onFailure = options.onFailure ?? (() => undefined);
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when MongoDB does not answer in time, or the breaker is open. */
  async ask<T>(lookUp: () => Promise<T>): Promise<T> {
    if (this.#clock() < this.#restUntilMs) throw unavailable('The key store');
    try {
      return await withTimeout(storeCall(lookUp), this.#timeoutMs);
    } catch (error) {
      if (!(error instanceof SigcastError) || isOutage(error)) {
        this.#onFailure();
        this.#restUntilMs = this.#clock() + restMs;
      }
      throw error;
    }
  }
}

/** Whether an error means that the store failed, rather than the request. */
export function isOutage(error: unknown): boolean {
  return error instanceof SigcastError && error.code === 'SERVICE_UNAVAILABLE';
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The key store')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
