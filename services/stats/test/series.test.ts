import { bucketStart, maxSeriesPoints, type StatsSeriesQuery } from '@sigcast/contracts';
import type { Totals } from '@sigcast/statistics';
import { expect, it } from 'vitest';
import type { SeriesStore } from '../src/domain/ports.ts';
import { getSeries } from '../src/domain/series.ts';

const asOf = new Date('2026-06-17T12:00:00Z'); // a Wednesday
const totals: Totals = { total: 1, winners: 0, roiSum: 0n, roiMax: 0 };

/** A store with signals that were created at these instants. */
const storeOf = (...created: string[]): SeriesStore => ({
  series: async (_select, widthMs) => ({
    asOf,
    series: new Map(
      created.map((at) => [bucketStart(Date.parse(at), widthMs), new Map([['new' as const, totals]])]),
    ),
    realizable: new Map(),
  }),
});
const seriesOf = (query: Partial<StatsSeriesQuery>, ...created: string[]) =>
  getSeries(storeOf(...created), { period: 'all', ...query });

it('a series over more than 3,000 days has a point for each week, whoever created a signal long ago', async () => {
  const { interval, points } = await seriesOf({}, '1970-01-02T00:00:00Z', '2026-06-14T23:59:59Z');
  expect(interval).toBe('week');
  expect(points.length).toBeLessThanOrEqual(maxSeriesPoints);
  expect([points[0], points.at(-2), points.at(-1)]).toMatchObject([
    { from: '1969-12-29T00:00:00.000Z', total_signals: 1 },
    { from: '2026-06-08T00:00:00.000Z', total_signals: 1 },
    { from: '2026-06-15T00:00:00.000Z', total_signals: 0 },
  ]);
});

it('a series by day over more than 3,000 days is refused, and names the interval', async () => {
  const refused = seriesOf({ interval: 'day' }, '2009-01-01T00:00:00Z');
  await expect(refused).rejects.toMatchObject({
    details: [{ field: 'interval', message: expect.stringContaining('must be coarser') }],
  });
});
