import { describe, expect, it } from 'vitest';
import { nearest, ticksOf } from '../src/routes/backtests/curves.ts';

const points = [1, 2, 3].map((profit, n) => ({ at: n * 1_000, profit, drawdown: 0, open: 0 }));

describe('the curve of a backtest', () => {
  it('is read at the nearest point', () => {
    expect(nearest(points, 1_400)?.profit).toBe(2);
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
