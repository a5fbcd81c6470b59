import { describe, expect, it } from 'vitest';
import { nearest, ticksOf, timeLabelsOf, timeTicksOf } from '../src/routes/backtests/curves.ts';

const points = [1, 2, 3].map((profit, n) => ({ at: n * 1_000, profit, realized: 0, drawdown: 0, open: 0 }));

describe('the curve of a backtest', () => {
  it('is read at the nearest point', () => {
    expect(nearest(points, 1_400)?.profit).toBe(2);
    expect(nearest([], 1_400)).toBeUndefined();
  });

  it('has round times below it', () => {
    const at = (time: string) => new Date(`2026-11-21T${time}`).getTime();
    expect(timeTicksOf(at('08:52'), at('09:47'), 5)).toEqual(
      ['09:00', '09:15', '09:30', '09:45'].map((time) => at(time)),
    );
    const days = timeTicksOf(at('09:00'), at('09:00') + 10 * 86_400_000, 6);
    expect(days.map((day) => new Date(day).getHours())).toEqual([0, 0, 0, 0, 0]);
    expect(timeTicksOf(at('09:00'), at('09:00'), 5)).toEqual([at('09:00')]);
  });

  it('is labelled at its first and its last time, and between where a label has room', () => {
    const at = (time: string) => new Date(`2026-11-21T${time}`).getTime();
    expect(timeLabelsOf(at('08:52'), at('09:47'), 5)).toEqual(
      ['08:52', '09:15', '09:30', '09:47'].map((time) => at(time)),
    );
    expect(timeLabelsOf(at('09:00'), at('09:00'), 5)).toEqual([at('09:00')]);
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
