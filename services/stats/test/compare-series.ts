import type { Aggregates } from '@sigcast/aggregates';
import type { Interval, StatsSeriesQuery } from '@sigcast/contracts';
import { expect } from 'vitest';
import { getSeries } from '../src/domain/series.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { statisticsAt } from './compare-figures.ts';
import type { Revision } from './events.ts';
import { recount } from './recount.ts';
import { recountPoint } from './recount-realizable.ts';

/** Expects every point of a series to equal a recount, and all together to equal the statistics of the same instant. */
export async function compareSeries(
  aggregates: Aggregates,
  expected: readonly Revision[],
  { nowMs, ...query }: StatsSeriesQuery & { readonly nowMs: number },
): Promise<void> {
  const store = statisticsAt(aggregates, new Date(nowMs));
  const { points, ...series } = await getSeries(store, query);
  expect(points).toEqual(recountPoints(expected, { ...query, nowMs }));
  const { interval: _interval, include: _include, ...period } = query;
  const { total_signals, winners, best_roi, as_of } = await getStatistics(store, period);
  expect(series.as_of).toBe(as_of);
  const filled = points.filter((point) => point.total_signals > 0);
  expect({
    total_signals: filled.reduce((sum, point) => sum + point.total_signals, 0),
    winners: filled.reduce((sum, point) => sum + point.winners, 0),
    best_roi: filled.length === 0 ? 0 : Math.max(...filled.map((point) => point.best_roi)),
  }).toEqual({ total_signals, winners, best_roi });
}

/** The start of the hour, day, week or month (UTC) of an instant. */
export function startOf(ms: number, interval: Interval): number {
  const date = new Date(ms);
  if (interval === 'hour') return date.setUTCMinutes(0, 0, 0);
  if (interval === 'month') date.setUTCDate(1);
  if (interval === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.setUTCHours(0, 0, 0, 0);
}

/** The start of the next hour, day, week or month. */
function nextOf(ms: number, interval: Interval): number {
  const date = new Date(ms);
  if (interval === 'hour') return date.setUTCHours(date.getUTCHours() + 1);
  if (interval === 'month') return date.setUTCMonth(date.getUTCMonth() + 1);
  return date.setUTCDate(date.getUTCDate() + (interval === 'week' ? 7 : 1));
}

/** The expected points: each interval counted from the signals created in it. */
function recountPoints(
  history: readonly Revision[],
  { nowMs, ...query }: StatsSeriesQuery & { readonly nowMs: number },
) {
  const interval = query.interval ?? (query.period === '24h' ? 'hour' : 'day');
  const lengthMs = { '24h': 1, '7d': 7, '30d': 30, all: Number.POSITIVE_INFINITY }[query.period] * 86_400_000;
  const chosen = history.filter(
    ({ type, createdAtMs }) =>
      (query.type === undefined || type === query.type) && createdAtMs > nowMs - lengthMs,
  );
  const starts = chosen.map(({ createdAtMs }) => startOf(createdAtMs, interval));
  const first = query.period === 'all' ? Math.min(...starts) : startOf(nowMs - lengthMs + 1, interval);
  const last = Math.max(startOf(nowMs, interval), ...starts);
  const points = [];
  for (let from = first; from <= last; from = nextOf(from, interval)) {
    const own = chosen.filter(({ createdAtMs }) => startOf(createdAtMs, interval) === from);
    const { by_type: _byType, as_of: _asOf, ...figures } = recount(own, { ...query, nowMs });
    const realizable = query.include && { realizable: recountPoint(own, { ...query, nowMs }) };
    points.push({ from: new Date(from).toISOString(), ...figures, ...realizable });
  }
  return points;
}
