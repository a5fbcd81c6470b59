import type { Logger } from '@sigcast/runtime';

/** Pauses between tries while something fails, in milliseconds: the first at most, and any at most. */
export type BackoffBounds = { readonly firstMs: number; readonly maxMs: number };

type FailuresOptions = {
  readonly log: Logger;
  readonly backoff: BackoffBounds;
  readonly random?: () => number;
};

/**
 * A circuit breaker: after a failure nothing is tried for a while, then one try goes alone. The pauses double, with full
 * jitter, until a try succeeds. The first failure and the end of the failures are logged.
 */
export class Failures {
  readonly #options: FailuresOptions;
  #inARow = 0;
  #pauseMs = 0;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** Whether the last try failed: only one at a time may go. */
  get open(): boolean {
    return this.#inARow > 0;
  }

  /** How many tries have failed in a row. A try passes what it was when the try began. */
  get inARow(): number {
    return this.#inARow;
  }

  /** The pause before the next try, in milliseconds; from then on 0 until the next failure. */
  takePause(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = 0;
    return pauseMs;
  }

  /** A try failed. Tries that began before another one failed count as one. */
  failed(what: string, reason: unknown, inARowAtBegin: number): void {
    if (inARowAtBegin !== this.#inARow) return;
    const { log, backoff, random = Math.random } = this.#options;
    this.#pauseMs = random() * Math.min(backoff.maxMs, backoff.firstMs * 2 ** this.#inARow);
    if (this.#inARow === 0) log.warn({ reason }, `polling pauses: ${what}`);
    this.#inARow += 1;
  }

  /** A try succeeded. One that began before another one failed says nothing of what is now. */
  succeeded(inARowAtBegin: number): void {
    if (inARowAtBegin !== this.#inARow) return;
    if (this.#inARow > 0) this.#options.log.info({ failures: this.#inARow }, 'polling goes on');
    this.#inARow = 0;
    this.#pauseMs = 0;
  }
}
