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

const dayMs = 86_400_000;
/** How the store counts what a point covers: a month is put together from its days. */
const countedMs: Readonly<Record<Interval, number>> = {
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  month: dayMs,
};

/**
 * The figures of a period by the hour, day, week or month (UTC) in which signals were created, oldest first and without a gap. Where
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
  const types = type === undefined ? signalTypes : [type];
  const asked = { realizable: include.includes('realizable') };
  const { asOf, series, realizable } = await store.series(
    (at) => ({ after: periodStart(period, at) }),
    countedMs[interval],
    asked,
  );
  const startOf = (ms: number) => startOfInterval(ms, interval);

  const after = periodStart(period, asOf);
  let firstMs = after ? startOf(after.getTime() + 1) : Number.POSITIVE_INFINITY;
  let lastMs = startOf(asOf.getTime());
  for (const [countedFromMs, totals] of series) {
    if (!types.some((each) => totals.has(each))) continue;
    const startMs = startOf(countedFromMs);
    firstMs = Math.min(firstMs, startMs);
    lastMs = Math.max(lastMs, startMs);
  }

  const starts: number[] = [];
  for (let at = firstMs; at <= lastMs; at = nextStart(at, interval)) starts.push(at);
  if (starts.length > maxSeriesPoints) return starts.length;
  const totalsIn = Map.groupBy(series.keys(), startOf);
  const positionsIn = Map.groupBy(realizable.keys(), startOf);
  const pointAt = (startMs: number): StatisticsPoint => ({
    from: new Date(startMs).toISOString(),
    ...figuresOf(
      (totalsIn.get(startMs) ?? []).map((at) => series.get(at) ?? new Map()),
      types,
    ),
    ...(asked.realizable && {
      realizable: toRealizablePoint(
        (positionsIn.get(startMs) ?? []).map((at) => realizable.get(at) ?? new Map()),
        types,
      ),
    }),
  });
  return { period, interval, points: starts.map(pointAt), as_of: asOf.toISOString() };
}

/** The start of the interval (UTC) that an instant is in. */
function startOfInterval(ms: number, interval: Interval): number {
  const date = new Date(ms);
  return interval === 'month'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    : bucketStart(ms, countedMs[interval]);
}

/** The start of the interval behind the one that starts at an instant. */
function nextStart(startMs: number, interval: Interval): number {
  const start = new Date(startMs);
  return interval === 'month'
    ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
    : startMs + countedMs[interval];
}

function tooFine(count: number, interval: Interval): string {
  return `must be coarser: signals reach over ${count} ${interval}s, and an answer has at most ${maxSeriesPoints} points`;
}
