/** Runs a piece of work as a phase of the start. */
export type Measure = <T>(phase: string, work: () => Promise<T>) => Promise<T>;

/** When each phase of a start began and how long it took. Phases may run at the same time. */
export class Phases {
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #rows: { readonly phase: string; readonly beganMs: number; readonly tookMs: number }[] = [];

  /** @param now the clock, in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  readonly measure: Measure = async (phase, work) => {
    const began = this.#now();
    try {
      return await work();
    } finally {
      this.#rows.push({ phase, beganMs: began - this.#startedAt, tookMs: this.#now() - began });
    }
  };

  /** A table for people, in the order in which the phases began. */
  table(): string {
    const width = Math.max(...this.#rows.map(({ phase }) => phase.length), 'phase'.length);
    const row = (phase: string, ...cells: string[]) =>
      `  ${phase.padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}`;
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    const ordered = this.#rows.toSorted((a, b) => a.beganMs - b.beganMs);
    const lines = ordered.map(({ phase, beganMs, tookMs }) => row(phase, seconds(beganMs), seconds(tookMs)));
    return [row('phase', 'began at', 'took'), ...lines].join('\n');
  }
}
