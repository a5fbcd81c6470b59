export type CircuitBreakerOptions = {
  /** The pause after this many failures in a row, from 1 on, in milliseconds. */
  readonly pauseMs: (failures: number) => number;
  readonly nowMs?: (() => number) | undefined;
};

/** A try at something that may fail. Tell its outcome once. Each function returns whether the outcome counts. */
export type Try = {
  succeeded(): boolean;
  /** @param grows whether the pause is longer than after the failure before; one that may be of this try alone does not grow it. */
  failed(grows?: boolean): boolean;
  /** The try says nothing about whether others would fail. */
  abandoned(): boolean;
};

/**
 * After a failure nothing is tried for a while, then one try at a time, until one succeeds. Tries may overlap before: the
 * outcome of a try does not count if another one has failed, or has ended a pause, since it began.
 */
export class CircuitBreaker {
  readonly #pauseMs: (failures: number) => number;
  readonly #nowMs: () => number;
  #failures = 0;
  /** Grows with each failure that counts, and with the success that ends a row of them. */
  #generation = 0;
  #untilMs = 0;
  /** Whether the one try after a pause is under way. */
  #trying = false;

  constructor({ pauseMs, nowMs = () => performance.now() }: CircuitBreakerOptions) {
    this.#pauseMs = pauseMs;
    this.#nowMs = nowMs;
  }

  /** How many tries have failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** How long nothing may be tried from now on, in milliseconds. */
  get pauseLeftMs(): number {
    return Math.max(0, this.#untilMs - this.#nowMs());
  }

  /** Begins a try; undefined while none may begin. */
  begin(): Try | undefined {
    const [before, generation] = [this.#failures, this.#generation];
    if (before > 0 && (this.#trying || this.pauseLeftMs > 0)) return undefined;
    this.#trying = true;
    const end = (failures: number) => {
      if (this.#generation !== generation) return false;
      this.#trying = false;
      if (failures !== before) this.#generation += 1;
      this.#failures = failures;
      return true;
    };
    const failed = (grows = true) => {
      const failures = grows ? before + 1 : Math.max(before, 1);
      if (!end(failures)) return false;
      this.#untilMs = this.#nowMs() + this.#pauseMs(failures);
      return true;
    };
    return { succeeded: () => end(0), failed, abandoned: () => end(before) };
  }
}
