import type { DeliveryAttempt } from '@sigcast/contracts';

export type ConcurrencyBounds = {
  /** The most attempts at once at one endpoint that answers quickly. */
  readonly max: number;
  /** Whether the endpoint's address has answered with success before. */
  readonly proven: boolean;
};

/** What an endpoint begins with, and what one in trouble keeps. */
const initial = 4;
const least = 2;
/**
 * When a circuit opens, and the pauses between its probes in milliseconds, doubling from the first to the last. That of a
 * proven endpoint opens by time-outs in a row, with no answer between them; that of an unproven one by any failure.
 */
const circuits = {
  proven: { toOpen: 5, firstMs: 1_000, lastMs: 30_000 },
  unproven: { toOpen: 1, firstMs: 1_000, lastMs: 60_000 },
};

/**
 * How many attempts at one endpoint may be under way at once: additive increase, multiplicative decrease. Each success
 * at the limit raises the limit by 1 until the first failure and by 1 / limit after it; each failure halves it. An
 * endpoint that only hangs opens a circuit: it gets one probe at a time, with growing pauses, until it answers anything
 * at all. One that is not proven gets one attempt at a time, and each failure opens its circuit, until it is.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #limit: number;
  /** Nothing has failed yet: the limit doubles with each round of successes instead of rising by one. */
  #slowStart = true;
  #proven: boolean;
  /** In a row: time-outs, or of an unproven endpoint failures of any kind. */
  #hangs = 0;
  #probeAtMs = 0;

  constructor({ max, proven }: ConcurrencyBounds) {
    this.#max = max;
    this.#proven = proven;
    this.#limit = Math.min(initial, max);
  }

  /** Whether one more attempt may begin beside `inFlight` others. `nowMs`: any clock, always the same. */
  allows(inFlight: number, nowMs: number): boolean {
    if (this.open) return inFlight === 0 && nowMs >= this.#probeAtMs;
    return inFlight < (this.#proven ? Math.floor(this.#limit) : 1);
  }

  /** Whether the endpoint does nothing but hang, or is not proven and fails. */
  get open(): boolean {
    return this.#hangs >= this.#circuit.toOpen;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** The endpoint has answered with success: it gets what any new one gets, at once. */
  prove(): void {
    if (this.#proven) return;
    this.#proven = true;
    this.#hangs = 0;
  }

  get #circuit() {
    return circuits[this.#proven ? 'proven' : 'unproven'];
  }

  /** Whether the limit says more than a new one would. */
  get differs(): boolean {
    return this.#hangs > 0 || this.#limit !== Math.min(initial, this.#max);
  }

  /** Notes an attempt's end. `inFlight` includes the attempt. */
  note(outcome: DeliveryAttempt['outcome'], inFlight: number, nowMs: number): void {
    const opens = outcome === 'timeout' || (!this.#proven && outcome !== 'succeeded');
    // What was under way with the attempt that opened the circuit says nothing new.
    if (opens && this.open && nowMs < this.#probeAtMs) return;
    if (opens) {
      const { toOpen, firstMs, lastMs } = this.#circuit;
      this.#hangs += 1;
      this.#probeAtMs = nowMs + Math.min(lastMs, firstMs * 2 ** Math.max(0, this.#hangs - toOpen));
    } else {
      this.#hangs = 0;
    }
    if (!this.#proven) return;
    if (outcome !== 'succeeded') {
      this.#slowStart = false;
      this.#limit = Math.max(Math.min(least, this.#max), this.#limit / 2);
    } else if (inFlight >= Math.floor(this.#limit)) {
      this.#limit = Math.min(this.#max, this.#limit + (this.#slowStart ? 1 : 1 / this.#limit));
    }
  }
}
