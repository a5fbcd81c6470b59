import { expect } from '@jest/globals';
import type { Aggregates } from '@sigcast/aggregates';
import type { StatsQuery } from '@sigcast/contracts';
import type { Connection } from 'mongoose';
import { exits } from '../src/domain/fact.ts';
import { getStatisticsWith } from '../src/domain/included.ts';
import type { StatisticsStore } from '../src/domain/ports.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { type FactDocument, factsCollection, factTotals } from '../src/store/fact-document.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import type { Revision } from './events.ts';
import { expectDistribution, recount } from './recount.ts';
import { expectRealizable } from './recount-realizable.ts';

/** Deletes all facts and their aggregates. */
export async function clearFacts(connection: Connection): Promise<void> {
  for (const name of [factsCollection, 'aggregate_cells', 'aggregate_log']) {
    await connection.collection(name).deleteMany({});
  }
}

/**
 * The newest recorded revision of every signal, read from the facts one by one. A fact recorded by an earlier version has
 * no position, or no all-time high either.
 */
export async function recordedFacts(connection: Connection): Promise<Revision[]> {
  const facts = await connection.collection<FactDocument>(factsCollection).find().toArray();
  return facts.map((fact) => {
    const { _id, created_at, type, status, roi, rev } = fact;
    const { ath_roi = 0, time_to_ath = 0, realizable_roi = 0, realizable_exit = 0 } = fact;
    const position = { roi: realizable_roi, exit: exits[realizable_exit] ?? 'open' };
    return {
      ...{ signal: Number(_id.slice('sig_'.length)), createdAtMs: created_at.getTime() },
      ...{ type, status, roi, rev: Math.floor(rev) },
      ...(rev % 1 !== 0 && { athRoi: ath_roi, timeToAth: time_to_ath }),
      ...(rev % 1 > 1 / 16 && { realizable: position }),
    };
  });
}

/** Compares figures with a recount: all figures after a refresh, those of `include` too, or only sums without one. */
export async function compareFigures(
  aggregates: Aggregates,
  query: StatsQuery,
  expected: readonly Revision[],
  nowMs: number,
  how: 'refreshed' | 'as it is',
  include: NonNullable<StatsQuery['include']> = ['distribution', 'realizable'],
): Promise<void> {
  const asOf = new Date(nowMs);
  const wanted = recount(expected, query, nowMs);
  if (how === 'as it is') {
    const asItIs: StatisticsStore = {
      totals: async (select) => {
        const { from, to } = select(asOf);
        const figures = await aggregates.readNow({ after: from, until: to });
        return { asOf, totals: new Map([...figures].map(([type, values]) => [type, factTotals(values)])) };
      },
    };
    const statistics = await getStatistics(asItIs, query);
    expect({ ...statistics, best_roi: wanted.best_roi, as_of: wanted.as_of }).toEqual(wanted);
    return;
  }
  const refreshed = aggregateStatistics(
    {
      ...aggregates,
      readDistributions: (names, period) => aggregates.readDistributions(names, () => period(asOf)),
    },
    { fresh: true },
  );
  const { distribution, realizable, ...statistics } = await getStatisticsWith(refreshed, {
    ...query,
    include,
  });
  expect({ ...statistics, as_of: wanted.as_of }).toEqual(wanted);
  if (include.includes('distribution')) expectDistribution(distribution, expected, query, nowMs);
  if (include.includes('realizable')) expectRealizable(realizable, expected, query, nowMs);
}
