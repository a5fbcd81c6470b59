/** Failures in a row that open the breaker, if they also spread over `failingMs`. */
const failuresToOpen = 3;
/** When this process pauses, all calls under way fail together: such failures say nothing about Redis. */
const failingMs = 250;
/** How long the breaker stays open before Redis is tried again. */
const restMs = 1_000;

/**
 * The circuit breaker of one Redis master. While the breaker is open, requests don't ask the master, and `recover` is tried
 * about once a second in the background. A `recover` that succeeds closes the breaker. It starts open.
 */
export class MasterBreaker {
  readonly #recover: () => Promise<void>;
  readonly #onChange: (closed: boolean) => void;
  #failures = 0;
  #failingSinceMs = 0;
  #closed = false;
  #recovering = false;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(recover: () => Promise<void>, onChange: (closed: boolean) => void = () => undefined) {
    this.#recover = recover;
    this.#onChange = onChange;
    this.#schedule(restMs);
  }

  /** Whether the master may be asked. */
  get closed(): boolean {
    return this.#closed;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    const nowMs = performance.now();
    if (this.#failures === 0) this.#failingSinceMs = nowMs;
    this.#failures += 1;
    if (this.#failures >= failuresToOpen && nowMs - this.#failingSinceMs >= failingMs) this.open();
  }

  /** Opens the breaker until `recover` succeeds. */
  open(): void {
    if (!this.#closed) return;
    this.#closed = false;
    this.#onChange(false);
    this.#schedule(restMs);
  }

  /** Tries to recover now, for instance because the connection was made. Never rejects. */
  async tryNow(): Promise<void> {
    if (this.#closed || this.#recovering || this.#disposed) return;
    this.#recovering = true;
    try {
      await this.#recover();
      this.#closed = true;
      this.#failures = 0;
      this.#onChange(true);
    } catch {
      this.#schedule(restMs);
    } finally {
      this.#recovering = false;
    }
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#disposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.tryNow(), delayMs);
    this.#timer.unref();
  }
}
