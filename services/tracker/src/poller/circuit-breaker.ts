import type { Logger } from '@sigcast/runtime';

/** Bounds of the pauses between tries while something fails, in milliseconds: of the first pause, and of any. */
export type BackoffBounds = { readonly firstMs: number; readonly maxMs: number };

type CircuitBreakerOptions = {
  readonly log: Logger;
  readonly backoff: BackoffBounds;
  readonly random?: () => number;
};

/**
 * After a failure nothing is tried for a while, then one try at a time. The pauses double, with full jitter, until a try
 * succeeds. The first failure and the end of the failures are logged.
 *
 * Tries may overlap. Each takes `inARow` when it begins, and hands it to `failed` or `succeeded` when it ends, so that a
 * try that began before another one failed does not count.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #inARow = 0;
  #pauseMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether the last try failed: then only one try at a time may begin. */
  get open(): boolean {
    return this.#inARow > 0;
  }

  /** How many tries have failed in a row. */
  get inARow(): number {
    return this.#inARow;
  }

  /** The pause before the next try, in milliseconds; from then on 0 until the next failure. */
  takePause(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = 0;
    return pauseMs;
  }

  /** A try failed. Nothing changes if another one failed since this try began. */
  failed(what: string, reason: unknown, inARowAtBegin: number): void {
    if (inARowAtBegin !== this.#inARow) return;
    const { log, backoff, random = Math.random } = this.#options;
    this.#pauseMs = random() * Math.min(backoff.maxMs, backoff.firstMs * 2 ** this.#inARow);
    if (this.#inARow === 0) log.warn({ reason }, `polling pauses: ${what}`);
    this.#inARow += 1;
  }

  /** A try succeeded. Nothing changes if another one failed since this try began. */
  succeeded(inARowAtBegin: number): void {
    if (inARowAtBegin !== this.#inARow) return;
    if (this.#inARow > 0) this.#options.log.info({ failures: this.#inARow }, 'polling goes on');
    this.#inARow = 0;
    this.#pauseMs = 0;
  }
}
