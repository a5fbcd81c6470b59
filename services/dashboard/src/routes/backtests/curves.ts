import type { BacktestResult } from '@sigcast/client';
import { timeZone } from '../../ui/time-zone.ts';

/** A point of an equity curve; `at` in Unix milliseconds, the rest in US dollars. */
export type CurvePoint = {
  readonly at: number;
  readonly profit: number;
  readonly realized: number;
  readonly drawdown: number;
  readonly open: number;
};

/** The points of an equity curve. */
export function curveOf({ points }: BacktestResult['equity']): readonly CurvePoint[] {
  return points.map((point) => ({
    at: Date.parse(point.at),
    profit: point.profit_usd,
    realized: point.realized_usd,
    drawdown: point.drawdown_usd,
    open: point.open,
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

const [minuteMs, dayMs] = [60_000, 86_400_000];
/** The distances of round times. Labels of 36 hours and more are days. */
const timeSteps = [5, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minuteMs);
const daySteps = [1, 2, 3, 7, 14, 28, 56, 91, 182].map((days) => days * dayMs);

/**
 * Round times of an axis in the chosen zone, such as 09:00 and 09:15, or midnights; about `most` of them at most. Unix
 * milliseconds.
 */
export function timeTicksOf(start: number, end: number, most: number): readonly number[] {
  const span = end - start;
  if (!(span > 0)) return [start];
  const steps = span < 36 * 60 * minuteMs ? timeSteps : daySteps;
  const step = steps.find((ms) => ms >= span / most) ?? span;
  const first = Math.ceil((start - behindUtc(start)) / step) * step;
  const ticks = Array.from({ length: Math.ceil(span / step) + 1 }, (_, n) => first + n * step);
  return ticks
    .map((wall) => wall + behindUtc(wall + behindUtc(start)))
    .filter((at) => at >= start && at <= end);
}

/** The times that an axis labels: its first and its last, and the round ones between that leave these two their room. */
export function timeLabelsOf(start: number, end: number, most: number): readonly number[] {
  const room = (0.75 * (end - start)) / most;
  const between = timeTicksOf(start, end, most).filter((at) => at - start >= room && end - at >= room);
  return [...new Set([start, ...between, end])];
}

/** How far the chosen zone is behind UTC at an instant, in milliseconds. */
const behindUtc = (at: number) => (timeZone === 'UTC' ? 0 : new Date(at).getTimezoneOffset() * minuteMs);
