import { expect, it, jest } from '@jest/globals';
import { type Aggregates, openAggregates } from '@sigcast/aggregates';
import { type Interval, intervals, periods, type StatsSeriesQuery, signalTypes } from '@sigcast/contracts';
import fc from 'fast-check';
import { factOf } from '../src/domain/fact.ts';
import { getSeries } from '../src/domain/series.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { useMongo } from './fixture.ts';
import { baseMs, Chance, randomHistory } from './histories.ts';
import { recount } from './recount.ts';

jest.setTimeout(120_000);

const mongo = useMongo();

/** The start of the hour or day (UTC) of an instant. */
function startOf(ms: number, interval: Interval): number {
  const date = new Date(ms);
  if (interval === 'hour') return date.setUTCMinutes(0, 0, 0);
  return date.setUTCHours(0, 0, 0, 0);
}

/** The start of the next hour or day. */
function nextOf(ms: number, interval: Interval): number {
  const date = new Date(ms);
  if (interval === 'hour') return date.setUTCHours(date.getUTCHours() + 1);
  return date.setUTCDate(date.getUTCDate() + 1);
}

/** The expected points: each interval counted from the signals created in it. */
function recountPoints(history: readonly Revision[], query: StatsSeriesQuery, nowMs: number) {
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
    const { by_type: _byType, as_of: _asOf, ...figures } = recount(own, query, nowMs);
    points.push({ from: new Date(from).toISOString(), ...figures });
  }
  return points;
}

/** The service's figures, as if it were asked at an instant. */
function statisticsAt(aggregates: Aggregates, asOf: Date) {
  return aggregateStatistics(
    {
      refresh: aggregates.refresh,
      readDistributions: (period) => aggregates.readDistributions(() => period(asOf)),
      read: async (period) => ({ ...(await aggregates.read(() => period(asOf))), asOf }),
      readSeries: async (period, intervalMs) => ({
        ...(await aggregates.readSeries(() => period(asOf), intervalMs)),
        asOf,
      }),
    },
    { fresh: true },
  );
}

it('every point of a series equals a recount, and all together equal the statistics, at any instant and while signals change', async () => {
  const live = async (seed: number) => {
    for (const name of [factsCollection, 'aggregate_cells', 'aggregate_log']) {
      await mongo().collection(name).deleteMany({});
    }
    const chance = new Chance(seed);
    const aggregates = openAggregates(mongo(), factAggregates);
    const facts = mongoFacts(mongo(), aggregates);
    const recorded: Revision[] = [];
    const queue = randomHistory(chance, 150);
    while (queue.length > 0) {
      const batch = queue.splice(0, 200);
      await Promise.all(batch.map((revision) => facts.record(factOf(eventOf(revision)))));
      recorded.push(...batch);
      for (const period of periods) {
        const type = chance.pick([undefined, ...signalTypes]);
        const interval = chance.pick([
          undefined,
          ...intervals.filter((each) => each !== 'hour' || period !== 'all'),
        ]);
        const query = { period, ...(type && { type }), ...(interval && { interval }) };
        const created = chance.pick(recorded).createdAtMs;
        const nowMs = chance.pick([baseMs, created, startOf(created, 'hour'), startOf(created, 'day') - 1]);
        const store = statisticsAt(aggregates, new Date(nowMs));
        const { points, ...series } = await getSeries(store, query);
        expect(points).toEqual(recountPoints(recorded, query, nowMs));
        const { total_signals, winners, best_roi, as_of } = await getStatistics(store, query);
        expect(series.as_of).toBe(as_of);
        const filled = points.filter((point) => point.total_signals > 0);
        expect({
          total_signals: filled.reduce((sum, point) => sum + point.total_signals, 0),
          winners: filled.reduce((sum, point) => sum + point.winners, 0),
          best_roi: filled.length === 0 ? 0 : Math.max(...filled.map((point) => point.best_roi)),
        }).toEqual({ total_signals, winners, best_roi });
      }
    }
  };
  await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 10, endOnFailure: true });
});
