import { describe, expect, it } from 'vitest';
import { curveOf, nearest, ticksOf } from '../src/routes/backtests/curves.ts';

const equity = (...profits: number[]) => ({
  points: profits.map((profit_usd, n) => ({ at: new Date(n * 1_000).toISOString(), profit_usd, open: 0 })),
});

describe('the curve of a backtest', () => {
  it('has at each point how far the profit is below its highest value so far, which begins at 0', () => {
    expect(curveOf(equity(-2, 5.1, 4.8, 6, 6)).map(({ drawdown }) => drawdown)).toEqual([2, 0, 0.3, 0, 0]);
  });

  it('is read at the nearest point', () => {
    expect(nearest(curveOf(equity(1, 2, 3)), 1_400)?.profit).toBe(2);
    expect(nearest([], 1_400)).toBeUndefined();
  });

  it.each([
    [-210, 1_140, [0, 500, 1_000]],
    [0, 4.5, [0, 1, 2, 3, 4]],
    [-0.9, 0, [-0.8, -0.6, -0.4, -0.2, 0]],
    [0, 0, [0]],
  ])('from %d to %d it has lines at %j', (low, high, ticks) => {
    expect(ticksOf(low, high).map((tick) => Math.round(tick * 10) / 10)).toEqual(ticks);
  });
});
