import {
  bucketStart,
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

const intervalMs: Readonly<Record<Interval, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/**
 * The figures of a period by the hour, day or week (UTC) in which signals were created, oldest first and without a gap. Where
 * the query names no interval and days would be too many points, the points are weeks.
 * @throws {SigcastError} INVALID_REQUEST when there would be more than `maxSeriesPoints`.
 */
export async function getSeries(store: SeriesStore, query: StatsSeriesQuery): Promise<StatisticsSeries> {
  const usual = query.period === '24h' ? 'hour' : 'day';
  const series = await seriesBy(query.interval ?? usual, store, query);
  if (typeof series !== 'number') return series;
  const byWeek = query.interval === undefined ? await seriesBy('week', store, query) : series;
  if (typeof byWeek !== 'number') return byWeek;
  throw invalidRequest([{ field: 'interval', message: tooFine(series, query.interval ?? usual) }]);
}

/** The series by an interval; the number of its points where they are too many. */
async function seriesBy(
  interval: Interval,
  store: SeriesStore,
  { type, period, include = [] }: StatsSeriesQuery,
): Promise<StatisticsSeries | number> {
  const widthMs = intervalMs[interval];
  const types = type === undefined ? signalTypes : [type];
  const asked = { realizable: include.includes('realizable') };
  const { asOf, series, realizable } = await store.series(
    (at) => ({ after: periodStart(period, at) }),
    widthMs,
    asked,
  );
  const startOf = (ms: number) => bucketStart(ms, widthMs);

  const after = periodStart(period, asOf);
  let firstMs = after ? startOf(after.getTime() + 1) : Number.POSITIVE_INFINITY;
  let lastMs = startOf(asOf.getTime());
  for (const [startMs, totals] of series) {
    if (!types.some((each) => totals.has(each))) continue;
    firstMs = Math.min(firstMs, startMs);
    lastMs = Math.max(lastMs, startMs);
  }

  const count = Math.max(0, (lastMs - firstMs) / widthMs + 1);
  if (count > maxSeriesPoints) return count;
  const pointAt = (startMs: number): StatisticsPoint => ({
    from: new Date(startMs).toISOString(),
    ...figuresOf(series.get(startMs) ?? new Map(), types),
    ...(asked.realizable && { realizable: toRealizablePoint(realizable.get(startMs) ?? new Map(), types) }),
  });
  const points = Array.from({ length: count }, (_, n) => pointAt(firstMs + n * widthMs));
  return { period, interval, points, as_of: asOf.toISOString() };
}

function tooFine(count: number, interval: Interval): string {
  return `must be coarser: signals reach over ${count} ${interval}s, and an answer has at most ${maxSeriesPoints} points`;
}
