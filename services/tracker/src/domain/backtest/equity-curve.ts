import type { BacktestResult } from '@sigcast/contracts';
import type { KnownResult } from './replay-signal.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The longest curve with a point for each hour; longer ones have a point for each day. */
const mostHours = 14 * 24;

/** A trade's result over time. */
export type CurveTrade = {
  /** Unix milliseconds. */
  readonly enteredAt: number;
  readonly exitedAt?: number | undefined;
  /** From the purchase on. */
  readonly results: readonly KnownResult[];
};

/**
 * Adds up the results of trades at each full hour. It keeps the sum of what changed in each hour, so the memory depends on
 * the time alone. The sums are of integers, so the order of the trades makes no difference.
 */
export class EquityCurve {
  readonly #startMs: number;
  readonly #endMs: number;
  /** By hour, of what changed in the hour that ends then: hundredths of a percent, and positions. */
  readonly #changes: Float64Array;
  readonly #opened: Float64Array;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param since when the curve starts. @param until the newest instant of which anything is known. */
  constructor(since: Date, until: Date) {
    this.#startMs = Math.floor(since.getTime() / hourMs) * hourMs;
    this.#endMs = until.getTime();
    const hours = Math.ceil((this.#endMs - this.#startMs) / hourMs) + 1;
    this.#changes = new Float64Array(hours);
    this.#opened = new Float64Array(hours);
  }

  add({ enteredAt, exitedAt, results }: CurveTrade): void {
    this.#note(this.#opened, enteredAt, 1);
    if (exitedAt !== undefined) this.#note(this.#opened, exitedAt, -1);
    let before = 0;
    for (const { at, hundredths } of results) {
      this.#note(this.#changes, at, hundredths - before);
      before = hundredths;
    }
  }

  /**
   * The points of the curve: each full hour from the one before the first purchase up to the last change; or of a long curve
   * each midnight (UTC) between them, and the last change. The largest fall from an earlier high is that of all full hours since
   * the point before. The curve begins at 0.
   * @param usdOf the profit of some hundredths of a percent.
   */
  points(usdOf: (hundredths: number) => number): BacktestResult['equity'] {
    const interval = this.#last - this.#first < mostHours ? 'hour' : 'day';
    const points: BacktestResult['equity']['points'] = [];
    let [high, fall] = [0, 0];
    for (const { hour, at, sum, open } of this.#hours()) {
      high = Math.max(high, sum);
      fall = Math.max(fall, high - sum);
      if (interval === 'day' && at % dayMs !== 0 && hour !== this.#last) continue;
      points.push({
        at: new Date(Math.min(at, this.#endMs)).toISOString(),
        profit_usd: usdOf(sum),
        drawdown_usd: usdOf(fall),
        open,
      });
      fall = 0;
    }
    return { interval, points };
  }

  /** Notes a change, at the first full hour that is not before it. */
  #note(hours: Float64Array, at: number, change: number): void {
    const hour = Math.ceil((at - this.#startMs) / hourMs);
    hours[hour] = (hours[hour] ?? 0) + change;
    this.#first = Math.min(this.#first, hour);
    this.#last = Math.max(this.#last, hour);
  }

  /** The sums at each full hour from before the first change to the last one. */
  #hours(): { readonly hour: number; readonly at: number; readonly sum: number; readonly open: number }[] {
    const hours = [];
    let [sum, open] = [0, 0];
    for (let hour = Math.max(0, this.#first - 1); hour <= this.#last; hour++) {
      sum += this.#changes[hour] ?? 0;
      open += this.#opened[hour] ?? 0;
      hours.push({ hour, at: this.#startMs + hour * hourMs, sum, open });
    }
    return hours;
  }
}
