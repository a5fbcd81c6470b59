import { SigcastError, unavailable } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';

/** A look-up that takes longer is given up: a request would rather hear "not now" than hang. */
const lookUpTimeoutMs = 1_000;
/** After a failed look-up, none is tried for this long. */
const restMs = 500;

export type CircuitBreakerOptions = {
  readonly clock: () => number;
  /** When a look-up is given up, a second if absent. */
  readonly timeoutMs?: number;
  /** Told of every look-up that failed or was given up. */
  readonly onFailure?: () => void;
};

/** How long requests wait for MongoDB: those that share one find out together that it is away. */
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

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the store does not answer, or did not a moment ago. */
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

/** Whether it was the store that failed, not what was asked for. */
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
