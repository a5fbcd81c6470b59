import {
  type BacktestParameters,
  backtestResultSchema,
  createBacktestSchema,
  maxHistogramBars,
} from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { EquityCurve } from '../../src/domain/backtest/equity-curve.ts';
import { toParameters } from '../../src/domain/backtest/parameters.ts';
import { asShown, type Outcome } from '../../src/domain/backtest/replay-signal.ts';
import { BacktestCount } from '../../src/domain/backtest/result.ts';

const hourMs = 3_600_000;
const startMs = Date.parse('2026-03-01T00:00:00Z');
const hours = (n: number) => startMs + n * hourMs;
const at = (n: number) => new Date(hours(n)).toISOString();

function parameters(more: object = {}, days = 10): BacktestParameters {
  const body = createBacktestSchema.parse({
    filters: { since: at(0), types: ['new', '3d'] },
    as_of: at(days * 24),
    ...more,
  });
  return toParameters(body, new Date(hours(400 * 24)));
}

/** A trade whose result was known as so many percent at so many hours; sold at the last one unless it is open. */
function tradeOf(results: readonly [number, number][], exit: 'target' | 'stop' | 'end' | 'open'): Outcome {
  const none: [number, number] = [0, 0];
  const [first, last] = [results[0] ?? none, results.at(-1) ?? none];
  return {
    kind: 'trade',
    trade: {
      enteredAt: hours(first[0]),
      mcap: 1,
      worth: 1,
      roi: last[1],
      ...(exit !== 'open' && { exit: { kind: exit, at: hours(last[0]) } }),
    },
    results: results.map(([hour, roi]) => ({ at: hours(hour), hundredths: Math.round(roi * 100) })),
  };
}

const signal = (n: number, type: 'new' | '3d' = 'new') => ({
  id: `sig_${String(n).padStart(20, '0')}`,
  symbol: `S${n}`,
  type,
});

function resultOf(count: BacktestCount) {
  return backtestResultSchema.parse(count.found(new Date(startMs)).result);
}

describe('the result of a backtest', () => {
  it('has the figures of all trades together and by type, in dollars and in percent', () => {
    const count = new BacktestCount(parameters({ size_usd: 250 }));
    count.add(
      signal(1),
      tradeOf(
        [
          [1, -2],
          [3, 100.5],
        ],
        'target',
      ),
    );
    count.add(
      signal(2),
      tradeOf(
        [
          [2, -2],
          [4, -51.25],
        ],
        'stop',
      ),
    );
    count.add(signal(3, '3d'), tradeOf([[3, -2]], 'open'));
    count.add(signal(4), { kind: 'no_entry' });
    count.add(signal(5), { kind: 'filtered' });
    expect(resultOf(count)).toMatchObject({
      signals: 5,
      not_bought: { no_entry: 1, filtered: 1 },
      trades: 3,
      profit_usd: 118.13,
      avg_roi: 15.75,
      profitable: 33.33,
      realized_usd: 123.13,
      by_exit: { open: 1, target: 1, stop: 1, end: 0 },
      by_type: {
        new: { trades: 2, profit_usd: 123.13, avg_roi: 24.63, profitable: 50 },
        '3d': { trades: 1, profit_usd: -5, avg_roi: -2, profitable: 0 },
      },
      avg_hours_held: 2,
      max_open: 2,
      // Of 250 dollars: from 98.5 % of profit at the third hour to 47.25 % at the fourth.
      max_drawdown_usd: 123.13,
      roi: { p10: -51.5, median: -2, p90: 101 },
    });
  });

  it('does not count a trade that earned exactly nothing as profitable', () => {
    const count = new BacktestCount(parameters());
    count.add(signal(1), tradeOf([[1, 0]], 'open'));
    expect(resultOf(count)).toMatchObject({ trades: 1, profitable: 0 });
  });

  it('does not depend on the order of the signals', () => {
    const trades = Array.from({ length: 40 }, (_, n) =>
      tradeOf(
        [
          [n % 7, -2.37],
          [8 + n, n * 13.77 - 99],
        ],
        'end',
      ),
    );
    const all = trades.map((trade, n) => [signal(n), trade] as const);
    const [one, other] = [new BacktestCount(parameters()), new BacktestCount(parameters())];
    for (const [each, trade] of all) one.add(each, trade);
    for (const [each, trade] of all.toReversed()) other.add(each, trade);
    expect(resultOf(one)).toEqual(resultOf(other));
  });

  it('is zero everywhere, with an empty curve, where nothing was bought', () => {
    const count = new BacktestCount(parameters());
    count.add(signal(1), { kind: 'no_entry' });
    expect(resultOf(count)).toMatchObject({
      trades: 0,
      profit_usd: 0,
      avg_roi: 0,
      profitable: 0,
      avg_hours_held: 0,
      max_open: 0,
      max_drawdown_usd: 0,
      best: [],
      worst: [],
      equity: { points: [] },
    });
  });

  it('names the five best and the five worst trades, of equal ones those with the lowest ids', () => {
    const count = new BacktestCount(parameters());
    for (const [n, roi] of [5, 1, 3, 3, 9, 7, 1, 2].entries())
      count.add(signal(n), tradeOf([[1, roi]], 'open'));
    const { best, worst } = resultOf(count);
    expect(best.map(({ roi }) => roi)).toEqual([9, 7, 5, 3, 3]);
    expect(worst.map(({ symbol }) => symbol)).toEqual(['S6', 'S1', 'S7', 'S3', 'S2']);
  });

  it('has every trade, the newest purchase first', () => {
    const count = new BacktestCount(parameters());
    for (const [n, hour] of [3, 1, 9, 3].entries()) count.add(signal(n), tradeOf([[hour, 1]], 'open'));
    const { trades } = count.found(new Date(startMs));
    expect(trades.map(({ symbol }) => symbol)).toEqual(['S2', 'S0', 'S3', 'S1']);
  });

  describe('has a histogram', () => {
    const barsOf = (...rois: number[]) => {
      const count = new BacktestCount(parameters());
      for (const [n, roi] of rois.entries()) count.add(signal(n), tradeOf([[1, roi]], 'open'));
      return resultOf(count).histogram;
    };

    it('of bars as narrow as the results need, none of them across 0', () => {
      expect(barsOf(-3, 0, 4.99)).toEqual([
        { from: -5, to: 0, trades: 1 },
        { from: 0, to: 5, trades: 2 },
      ]);
      expect(barsOf()).toEqual([]);
    });

    it('whose bars are wider where many results are high', () => {
      const bars = barsOf(-99, 1_000, 7_000);
      expect(bars).toHaveLength(37);
      expect(bars.filter(({ trades }) => trades > 0)).toEqual([
        { from: -200, to: 0, trades: 1 },
        { from: 1_000, to: 1_200, trades: 1 },
        { from: 7_000, to: 7_200, trades: 1 },
      ]);
    });

    it('whose last bar has no end where a few results are far above the others', () => {
      const bars = barsOf(...new Array<number>(30).fill(-50), 99, 100_000);
      expect(bars).toHaveLength(maxHistogramBars);
      expect(bars.filter(({ trades }) => trades > 0)).toEqual([
        { from: -50, to: -45, trades: 30 },
        { from: 95, to: 100, trades: 1 },
        { from: 145, to: null, trades: 1 },
      ]);
    });
  });
});

describe('the equity curve', () => {
  const curveOf = (
    trades: readonly { enteredAt: number; exitedAt?: number; results: [number, number][] }[],
    days = 30,
  ) => {
    const curve = new EquityCurve(new Date(startMs), new Date(hours(days * 24)));
    for (const { enteredAt, exitedAt, results } of trades)
      curve.add({
        enteredAt: hours(enteredAt),
        exitedAt: exitedAt === undefined ? undefined : hours(exitedAt),
        results: results.map(([hour, hundredths]) => ({ at: hours(hour), hundredths })),
      });
    return curve;
  };
  const itself = (hundredths: number) => hundredths;

  it('has what each position was worth, and what was realized, at each full minute from the one before the first purchase on', () => {
    const curve = curveOf([
      {
        enteredAt: 1.5 / 60,
        exitedAt: 4 / 60,
        results: [
          [1.5 / 60, -200],
          [2.5 / 60, 300],
          [4 / 60, 500],
        ],
      },
      {
        enteredAt: 3 / 60,
        results: [
          [3 / 60, -100],
          [3.2 / 60, -400],
        ],
      },
    ]);
    expect(curve.points(itself)).toEqual({
      interval_minutes: 1,
      points: [
        { at: at(1 / 60), profit_usd: 0, realized_usd: 0, drawdown_usd: 0, open: 0 },
        { at: at(2 / 60), profit_usd: -200, realized_usd: 0, drawdown_usd: 200, open: 1 },
        { at: at(3 / 60), profit_usd: 200, realized_usd: 0, drawdown_usd: 0, open: 2 },
        { at: at(4 / 60), profit_usd: 100, realized_usd: 500, drawdown_usd: 100, open: 1 },
      ],
    });
  });

  it('ends at the instant that it is as of, where that is between two minutes', () => {
    const end = 2.25 / 60;
    const curve = new EquityCurve(new Date(startMs), new Date(hours(end)));
    curve.add({ enteredAt: hours(2.1 / 60), results: [{ at: hours(2.1 / 60), hundredths: -7 }] });
    expect(curve.points(itself).points).toMatchObject([
      { at: at(2 / 60), profit_usd: 0, open: 0 },
      { at: at(end), profit_usd: -7, drawdown_usd: 7, open: 1 },
    ]);
  });

  it.each([
    [5.5, 1, 331],
    [10, 5, 121],
    [28, 15, 113],
    [60, 15, 241],
    [13 * 24, 60, 313],
    [21 * 24, 1_440, 22],
  ])('of %i hours has a point each %i minutes', (length, minutes, points) => {
    const end = { enteredAt: length, results: [[length, 250] as [number, number]] };
    const curve = curveOf([{ enteredAt: 0.01, results: [[0.01, 1]] }, end]).points(itself);
    expect(curve.interval_minutes).toBe(minutes);
    expect(curve.points).toHaveLength(points);
  });

  it('has the falls between its points', () => {
    const curve = curveOf(
      [
        {
          enteredAt: 5,
          exitedAt: 490,
          results: [
            [5, 100],
            [6, 900],
            [6.02, 200],
            [490, 250],
          ],
        },
      ],
      400,
    );
    const { points } = curve.points(itself);
    expect(points[0]).toMatchObject({ profit_usd: 0, open: 0 });
    expect(points[1]).toMatchObject({ at: at(24), profit_usd: 200, drawdown_usd: 700, open: 1 });
    expect(points.at(-1)).toMatchObject({ at: at(490), profit_usd: 250, realized_usd: 250, open: 0 });
  });

  it('begins at 0, so that a first fall counts', () => {
    const loss = { enteredAt: 1, results: [[1, -300] as [number, number]] };
    for (const curve of [curveOf([{ ...loss, enteredAt: 0, results: [[0, -300]] }]), curveOf([loss])])
      expect(curve.points(itself).points.at(-1)?.drawdown_usd).toBe(300);
  });

  it('has at most 403 points: the begin, each midnight of 400 days and the end', () => {
    const curve = new EquityCurve(new Date(hours(-0.5)), new Date(hours(400 * 24 + 0.5)));
    curve.add({ enteredAt: hours(-0.4), results: [{ at: hours(-0.4), hundredths: 1 }] });
    curve.add({ enteredAt: hours(400 * 24 + 0.4), results: [{ at: hours(400 * 24 + 0.4), hundredths: 1 }] });
    expect(curve.points(itself).points).toHaveLength(403);
  });
});

describe('what was shown of a signal', () => {
  it('has of revisions that became known at the same instant the highest one alone', () => {
    const known = (rev: number, hour: number) => ({ rev, knownAt: new Date(hours(hour)) });
    const shown = asShown([known(1, 1), known(2, 2), known(3, 2), known(4, 4), known(5, 3)]);
    expect(shown.map(({ rev }) => rev)).toEqual([1, 3, 5]);
  });
});
