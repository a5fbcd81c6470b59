import type { DeliveryAttempt } from '@sigcast/contracts';

type ConcurrencyBounds = {
  /** The most attempts at once at one endpoint that answers quickly. */
  readonly max: number;
  /** Whether the endpoint's address has answered with success before. */
  readonly proven: boolean;
};

/** The limit of a new endpoint, and the lowest limit of a failing one. */
const initial = 4;
const least = 2;
/**
 * When a circuit opens, and the pauses between its probes in milliseconds, which double from the first to the last. The
 * circuit of a proven endpoint opens after time-outs in a row, the circuit of an unproven endpoint after any failure.
 */
const circuits = {
  proven: { failuresToOpen: 5, firstMs: 1_000, lastMs: 30_000 },
  unproven: { failuresToOpen: 1, firstMs: 1_000, lastMs: 60_000 },
};

/**
 * How many attempts at one endpoint may be under way at once: additive increase, multiplicative decrease. Each success
 * at the limit raises the limit by 1 until the first failure and by 1 / limit after it; each failure halves the limit.
 * Time-outs in a row open a circuit breaker: the endpoint gets one probe at a time, with growing pauses, until it answers.
 * An unproven endpoint gets one attempt at a time, and each failure opens its circuit.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #limit: number;
  /** True until the first failure: the limit doubles with each full set of successes instead of rising by one. */
  #slowStart = true;
  #proven: boolean;
  /** Time-outs in a row; for an unproven endpoint, failures of any kind in a row. */
  #failures = 0;
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

  /** Whether the circuit is open: the endpoint only times out, or is unproven and fails. */
  get open(): boolean {
    return this.#failures >= this.#circuit.failuresToOpen;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** Called when the endpoint has answered with success: it gets the limit of a new endpoint at once. */
  markProven(): void {
    if (this.#proven) return;
    this.#proven = true;
    this.#failures = 0;
  }

  get #circuit() {
    return circuits[this.#proven ? 'proven' : 'unproven'];
  }

  /** Whether the limit differs from the limit of a new endpoint. */
  get changed(): boolean {
    return this.#failures > 0 || this.#limit !== Math.min(initial, this.#max);
  }

  /** Adjusts the limit to an attempt's outcome. `inFlight` includes the attempt. */
  record(outcome: DeliveryAttempt['outcome'], inFlight: number, nowMs: number): void {
    const countsAsFailure = outcome === 'timeout' || (!this.#proven && outcome !== 'succeeded');
    // Attempts that began before the circuit opened say nothing new.
    if (countsAsFailure && this.open && nowMs < this.#probeAtMs) return;
    if (countsAsFailure) {
      const { failuresToOpen, firstMs, lastMs } = this.#circuit;
      this.#failures += 1;
      this.#probeAtMs = nowMs + Math.min(lastMs, firstMs * 2 ** Math.max(0, this.#failures - failuresToOpen));
    } else {
      this.#failures = 0;
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
