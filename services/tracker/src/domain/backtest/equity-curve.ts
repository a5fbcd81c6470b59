import type { BacktestResult } from '@sigcast/contracts';
import type { KnownResult } from './replay-signal.ts';

const minuteMs = 60_000;

/** The distances of points, minutes. */
const distances = [1, 5, 15, 60, 1_440] as const;
/** The most points of a curve whose points are not a day apart: those of 14 days of hours. */
const mostPoints = 336;

/** A trade's result over time. */
export type CurveTrade = {
  /** Unix milliseconds. */
  readonly enteredAt: number;
  readonly exitedAt?: number | undefined;
  /** From the purchase on; the last one is that of the sale, if there is one. */
  readonly results: readonly KnownResult[];
};

/**
 * Adds up the results of trades at each full minute. It keeps the sum of what changed in each minute, so the memory depends on
 * the time alone: 14 MB for 400 days. The sums are of integers, so the order of the trades makes no difference.
 */
export class EquityCurve {
  readonly #startMs: number;
  readonly #endMs: number;
  /** By minute, of what changed in the minute that ends then: hundredths of a percent, those of sold trades, and positions. */
  readonly #changes: Float64Array;
  readonly #realized: Float64Array;
  readonly #opened: Float64Array;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param since when the curve starts. @param until the newest instant of which anything is known. */
  constructor(since: Date, until: Date) {
    this.#startMs = Math.floor(since.getTime() / minuteMs) * minuteMs;
    this.#endMs = until.getTime();
    const minutes = Math.ceil((this.#endMs - this.#startMs) / minuteMs) + 1;
    this.#changes = new Float64Array(minutes);
    this.#realized = new Float64Array(minutes);
    this.#opened = new Float64Array(minutes);
  }

  add({ enteredAt, exitedAt, results }: CurveTrade): void {
    this.#note(this.#opened, enteredAt, 1);
    if (exitedAt !== undefined) {
      this.#note(this.#opened, exitedAt, -1);
      this.#note(this.#realized, exitedAt, results.at(-1)?.hundredths ?? 0);
    }
    let before = 0;
    for (const { at, hundredths } of results) {
      this.#note(this.#changes, at, hundredths - before);
      before = hundredths;
    }
  }

  /**
   * The points of the curve, at even distances (UTC) from the minute before the first purchase to the last change, which have a
   * point whatever the distance. The largest fall from an earlier high is that of all full minutes since the point before. The
   * curve begins at 0.
   * @param usdOf the profit of some hundredths of a percent.
   */
  points(usdOf: (hundredths: number) => number): BacktestResult['equity'] {
    const first = Math.max(0, this.#first - 1);
    const start = this.#startMs / minuteMs;
    const [from, to] = [start + first, start + this.#last];
    // Those between the first and the last, and these two.
    const count = (distance: number) => Math.floor((to - 1) / distance) - Math.floor(from / distance) + 2;
    const minutes = distances.find((distance) => count(distance) <= mostPoints) ?? 1_440;
    const points: BacktestResult['equity']['points'] = [];
    let [sum, sold, open, high, fall] = [0, 0, 0, 0, 0];
    for (let minute = first; minute <= this.#last; minute++) {
      sum += this.#changes[minute] ?? 0;
      sold += this.#realized[minute] ?? 0;
      open += this.#opened[minute] ?? 0;
      high = Math.max(high, sum);
      fall = Math.max(fall, high - sum);
      const at = this.#startMs + minute * minuteMs;
      if (at % (minutes * minuteMs) !== 0 && minute !== first && minute !== this.#last) continue;
      points.push({
        at: new Date(Math.min(at, this.#endMs)).toISOString(),
        profit_usd: usdOf(sum),
        realized_usd: usdOf(sold),
        drawdown_usd: usdOf(fall),
        open,
      });
      fall = 0;
    }
    return { interval_minutes: minutes, points };
  }

  /** Notes a change, at the first full minute that is not before it. */
  #note(minutes: Float64Array, at: number, change: number): void {
    const minute = Math.ceil((at - this.#startMs) / minuteMs);
    minutes[minute] = (minutes[minute] ?? 0) + change;
    this.#first = Math.min(this.#first, minute);
    this.#last = Math.max(this.#last, minute);
  }
}
