import type { DeliveryAttempt } from '@sigcast/contracts';

export type ConcurrencyBounds = {
  /** The most attempts at once at one endpoint that answers quickly. */
  readonly max: number;
};

/** What an endpoint begins with, and what one in trouble keeps. */
const initial = 4;
const least = 2;
/** So many time-outs in a row, with no answer between them, open the circuit. */
const hangsToOpen = 5;
/** Pauses between two probes of an open circuit, in milliseconds: doubling from the first to the last. */
const probePausesMs = { first: 1_000, last: 30_000 };

/**
 * How many attempts at one endpoint may be under way at once: additive increase, multiplicative decrease. Each success
 * at the limit raises the limit by 1 until the first failure and by 1 / limit after it; each failure halves it. An
 * endpoint that only hangs opens a circuit: it gets one probe at a time, with growing pauses, until it answers anything
 * at all.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #limit: number;
  /** Nothing has failed yet: the limit doubles with each round of successes instead of rising by one. */
  #slowStart = true;
  #hangs = 0;
  #probeAtMs = 0;

  constructor({ max }: ConcurrencyBounds) {
    this.#max = max;
    this.#limit = Math.min(initial, max);
  }

  /** Whether one more attempt may begin beside `inFlight` others. `nowMs`: any clock, always the same. */
  allows(inFlight: number, nowMs: number): boolean {
    if (this.open) return inFlight === 0 && nowMs >= this.#probeAtMs;
    return inFlight < Math.floor(this.#limit);
  }

  /** Whether the endpoint does nothing but hang. */
  get open(): boolean {
    return this.#hangs >= hangsToOpen;
  }

  /** Whether the limit says more than a new one would. */
  get differs(): boolean {
    return this.#hangs > 0 || this.#limit !== Math.min(initial, this.#max);
  }

  /** Notes an attempt's end. `inFlight` includes the attempt. */
  note(outcome: DeliveryAttempt['outcome'], inFlight: number, nowMs: number): void {
    // What was under way with the attempt that opened the circuit says nothing new.
    if (outcome === 'timeout' && this.open && nowMs < this.#probeAtMs) return;
    if (outcome === 'timeout') {
      this.#hangs += 1;
      const doubling = 2 ** Math.max(0, this.#hangs - hangsToOpen);
      this.#probeAtMs = nowMs + Math.min(probePausesMs.last, probePausesMs.first * doubling);
    } else {
      this.#hangs = 0;
    }
    if (outcome !== 'succeeded') {
      this.#slowStart = false;
      this.#limit = Math.max(Math.min(least, this.#max), this.#limit / 2);
    } else if (inFlight >= Math.floor(this.#limit)) {
      this.#limit = Math.min(this.#max, this.#limit + (this.#slowStart ? 1 : 1 / this.#limit));
    }
  }
}
