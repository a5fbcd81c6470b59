import type { BacktestResult } from '@sigcast/client';

/** A point of an equity curve; `at` in Unix milliseconds, the rest in US dollars. */
export type CurvePoint = {
  readonly at: number;
  readonly profit: number;
  readonly drawdown: number;
  readonly open: number;
};

/** The points of an equity curve. */
export function curveOf({ points }: BacktestResult['equity']): readonly CurvePoint[] {
  return points.map(({ at, profit_usd: profit, drawdown_usd: drawdown, open }) => ({
    at: Date.parse(at),
    profit,
    drawdown,
    open,
  }));
}

/** The point that is nearest to an instant; undefined where there is none. */
export function nearest(points: readonly CurvePoint[], at: number): CurvePoint | undefined {
  return points.reduce<CurvePoint | undefined>(
    (near, point) => (near && Math.abs(near.at - at) <= Math.abs(point.at - at) ? near : point),
    undefined,
  );
}

/** Round values of an axis from `low` to `high`, 0 among them if it is between: 3 to 6, a step of 1, 2 or 5 apart. */
export function ticksOf(low: number, high: number): readonly number[] {
  const least = (high - low) / 5;
  if (!(least > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((times) => times * power >= least * 0.999) ?? 10) * power;
  const first = Math.ceil(low / step);
  // Adding 0 makes 0 of −0.
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step + 0);
}

/** The `d` of a path through points. */
export const pathOf = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('');
