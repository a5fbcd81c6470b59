import type { DeliveryAttempt } from '@sigcast/contracts';

type Timings = Pick<DeliveryAttempt, 'timings' | 'address'>;

/** Measures the phases of an attempt, and records the IP address of its connection. */
export class Stopwatch {
  readonly #startedAt = performance.now();
  #lastAt = this.#startedAt;
  readonly #tookMs: { dns?: number; connect?: number; tls?: number; firstByte?: number } = {};
  #address: string | null = null;

  /** Ends a phase, which began where the phase before ended. Only the first mark of a phase counts. */
  mark(phase: 'dns' | 'connect' | 'tls' | 'firstByte'): void {
    if (this.#tookMs[phase] !== undefined) return;
    const at = performance.now();
    this.#tookMs[phase] = at - this.#lastAt;
    this.#lastAt = at;
  }

  /** Sets the IP address of the connection. */
  connectedTo(address: string | undefined): void {
    this.#address = address ?? null;
  }

  /** The phases for the log, in tenths of a millisecond; null for a phase that was not reached. */
  report(): Timings {
    const tenths = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms * 10) / 10);
    const { dns, connect, tls, firstByte } = this.#tookMs;
    return {
      timings: {
        dns_ms: tenths(dns),
        connect_ms: tenths(connect),
        tls_ms: tenths(tls),
        first_byte_ms: tenths(firstByte),
      },
      address: this.#address,
    };
  }
}
