/** The most items of bulk work that are done together while live work goes on. A live item may have to wait for so many. */
const batchBesideLive = 8;

/** A batch's follow-up work takes longer than the batch. So the pause is this many times as long as the batch took. */
const pauseFactor = 16;
const maxPauseMs = 5_000;

type BulkPaceDeps = {
  /** Whether live work goes on. */
  readonly isLive: () => boolean;
  readonly nowMs?: () => number;
  readonly pause: (ms: number) => Promise<void>;
};

/** Slows bulk work down while live work goes on: small batches, with pauses between them. */
export class BulkPace {
  readonly #deps: Required<BulkPaceDeps>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #batchStartedMs = 0;
  #pausing = false;

  constructor(deps: BulkPaceDeps) {
    this.#deps = { nowMs: () => performance.now(), ...deps };
  }

  /** The most items of a batch that begins now; infinite while there is no live work. */
  get maxBatch(): number {
    return this.#deps.isLive() ? batchBesideLive : Number.POSITIVE_INFINITY;
  }

  /** Pauses after a batch that took so many milliseconds; not at all while there is no live work. */
  async pauseAfter(tookMs: number): Promise<void> {
    if (this.#deps.isLive()) await this.#deps.pause(Math.min(pauseFactor * tookMs, maxPauseMs));
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
    if (this.#running === 0) this.#batchStartedMs = this.#deps.nowMs();
    for (const start of this.#waiting.splice(0, this.maxBatch)) {
      this.#running += 1;
      start();
    }
  }

  async #endBatch(): Promise<void> {
    this.#pausing = true;
    await this.pauseAfter(this.#deps.nowMs() - this.#batchStartedMs);
    this.#pausing = false;
    this.#startWaiting();
  }
}
