import {
  type Interval,
  invalidRequest,
  maxSeriesPoints,
  type StatisticsPoint,
  type StatisticsSeries,
  type StatsSeriesQuery,
  signalTypes,
} from '@sigcast/contracts';
import { figuresOf, periodStart } from '@sigcast/statistics';
import type { SeriesStore } from './ports.ts';
import { toRealizablePoint } from './realizable.ts';

const intervalMs: Readonly<Record<Interval, number>> = { hour: 3_600_000, day: 86_400_000 };

/**
 * The figures of a period by the hour or the day (UTC) in which signals were created, oldest first and without a gap.
 * @throws {SigcastError} INVALID_REQUEST when there would be more than `maxSeriesPoints`.
 */
export async function getSeries(
  store: SeriesStore,
  { type, period, interval = period === '24h' ? 'hour' : 'day', include = [] }: StatsSeriesQuery,
): Promise<StatisticsSeries> {
  const widthMs = intervalMs[interval];
  const types = type === undefined ? signalTypes : [type];
  const asked = { realizable: include.includes('realizable') };
  const { asOf, series, realizable } = await store.series(
    (at) => ({ after: periodStart(period, at) }),
    widthMs,
    asked,
  );
  const startOf = (ms: number) => Math.floor(ms / widthMs) * widthMs;

  const after = periodStart(period, asOf);
  let firstMs = after ? startOf(after.getTime() + 1) : Number.POSITIVE_INFINITY;
  let lastMs = startOf(asOf.getTime());
  for (const [startMs, totals] of series) {
    if (!types.some((each) => totals.has(each))) continue;
    firstMs = Math.min(firstMs, startMs);
    lastMs = Math.max(lastMs, startMs);
  }

  const count = Math.max(0, (lastMs - firstMs) / widthMs + 1);
  if (count > maxSeriesPoints) throw invalidRequest([{ field: 'period', message: tooLong(count, interval) }]);
  const pointAt = (startMs: number): StatisticsPoint => ({
    from: new Date(startMs).toISOString(),
    ...figuresOf(series.get(startMs) ?? new Map(), types),
    ...(asked.realizable && { realizable: toRealizablePoint(realizable.get(startMs) ?? new Map(), types) }),
  });
  const points = Array.from({ length: count }, (_, n) => pointAt(firstMs + n * widthMs));
  return { period, interval, points, as_of: asOf.toISOString() };
}

function tooLong(count: number, interval: Interval): string {
  return `must be shorter: signals reach over ${count} ${interval}s, and an answer has at most ${maxSeriesPoints} points`;
}
