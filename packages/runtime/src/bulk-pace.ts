/** A pause after a batch of bulk work is never longer, in milliseconds. */
const maxPauseMs = 5_000;

type BulkPaceDeps = {
  /** Whether live work goes on. */
  readonly isLive: () => boolean;
  /** The most items of a batch beside live work. A live item may have to wait for so many. */
  readonly batch: number;
  /** How many times as long as a batch took the pause after the batch is. */
  readonly pauseFactor: number;
  readonly nowMs?: () => number;
  /** May reject, which ends the pause of {@link BulkPace.run}. */
  readonly pause: (ms: number) => Promise<void>;
};

/** Slows bulk work down while live work goes on: small batches, with pauses between them. */
export class BulkPace {
  readonly #deps: Required<BulkPaceDeps>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** When the running batch began; undefined if there was no live work then. */
  #batchStartedMs: number | undefined;
  #pausing = false;

  constructor(deps: BulkPaceDeps) {
    this.#deps = { nowMs: () => performance.now(), ...deps };
  }

  /** The most items of a batch that begins now; infinite while there is no live work. */
  get maxBatch(): number {
    return this.#deps.isLive() ? this.#deps.batch : Number.POSITIVE_INFINITY;
  }

  /** Pauses after a batch that took so many milliseconds; not at all while there is no live work. */
  async pauseAfter(tookMs: number): Promise<void> {
    const { isLive, pause, pauseFactor } = this.#deps;
    if (isLive()) await pause(Math.min(pauseFactor * tookMs, maxPauseMs));
  }

  /** Runs one item: in a batch with those that wait at the same time, or at once while there is no live work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      // Items of the same turn of the event loop join the batch.
      setImmediate(() => this.#startWaiting());
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) void this.#endBatch();
    }
  }

  #startWaiting(): void {
    if (this.#pausing || (this.#running > 0 && this.#deps.isLive())) return;
    if (this.#running === 0) this.#batchStartedMs = this.#deps.isLive() ? this.#deps.nowMs() : undefined;
    for (const start of this.#waiting.splice(0, this.maxBatch)) {
      this.#running += 1;
      start();
    }
  }

  async #endBatch(): Promise<void> {
    const startedMs = this.#batchStartedMs;
    this.#pausing = true;
    // A pause that is interrupted, because the process stops, lets the work go on.
    if (startedMs !== undefined) await this.pauseAfter(this.#deps.nowMs() - startedMs).catch(() => undefined);
    this.#pausing = false;
    this.#startWaiting();
  }
}
