import type { DeliveryAttempt } from '@sigcast/contracts';

type Timings = Pick<DeliveryAttempt, 'timings' | 'address'>;

/** When an attempt reached which point, and where it was connected to. */
export class Stopwatch {
  readonly #startedAt = performance.now();
  #lastAt = this.#startedAt;
  readonly #tookMs: { dns?: number; connect?: number; tls?: number; firstByte?: number } = {};
  #address: string | null = null;

  /** Ends a part of the way; it began where the one before ended. Of repeated marks the first counts. */
  mark(part: 'dns' | 'connect' | 'tls' | 'firstByte'): void {
    if (this.#tookMs[part] !== undefined) return;
    const at = performance.now();
    this.#tookMs[part] = at - this.#lastAt;
    this.#lastAt = at;
  }

  /** The address of the connection. */
  connectedTo(address: string | undefined): void {
    this.#address = address ?? null;
  }

  /** As the log shows it, in whole tenths of a millisecond; null where it did not come to that. */
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
