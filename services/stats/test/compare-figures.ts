import type { Aggregates } from '@sigcast/aggregates';
import type { StatsQuery } from '@sigcast/contracts';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { exits } from '../src/domain/fact.ts';
import type { StatisticsStore } from '../src/domain/ports.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { type FactDocument, factsCollection, factTotals } from '../src/store/fact-document.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import type { Revision } from './events.ts';
import { baseMs } from './histories.ts';
import { expectDistribution, recount } from './recount.ts';
import { expectRealizable } from './recount-realizable.ts';

/** The newest recorded revision of every signal, read from the facts one by one. */
export async function recordedFacts(connection: Connection): Promise<Revision[]> {
  const facts = await connection.collection<FactDocument>(factsCollection).find().toArray();
  return facts.map((fact) => {
    const { _id, created_at, type, status, roi, rev, ath_roi, time_to_ath } = fact;
    const { realizable_roi, realizable_exit } = fact;
    return {
      signal: Number(_id.slice('sig_'.length)),
      createdAtMs: created_at.getTime(),
      type,
      status,
      roi,
      rev,
      athRoi: ath_roi,
      timeToAth: time_to_ath,
      ...(realizable_roi !== null && {
        realizable: { roi: realizable_roi, exit: exits[realizable_exit ?? 0] ?? 'open' },
      }),
    };
  });
}

/**
 * Compares figures of an instant with a recount. `refreshed`: all figures, and what `include` asks for, after a refresh. `as
 * it is`: sums alone, without a refresh.
 */
export async function compareFigures(
  aggregates: Aggregates,
  expected: readonly Revision[],
  {
    how = 'refreshed',
    nowMs = baseMs,
    include = ['distribution', 'realizable'],
    ...query
  }: StatsQuery & { readonly how?: 'refreshed' | 'as it is'; readonly nowMs?: number },
): Promise<void> {
  const asOf = new Date(nowMs);
  const asked = { ...query, nowMs };
  const wanted = recount(expected, asked);
  if (how === 'as it is') {
    const asItIs: StatisticsStore = {
      totals: async (select) => {
        const figures = await aggregates.readNow(select(asOf));
        return { asOf, totals: new Map([...figures].map(([type, values]) => [type, factTotals(values)])) };
      },
    };
    const statistics = await getStatistics(asItIs, query);
    expect({ ...statistics, best_roi: wanted.best_roi, as_of: wanted.as_of }).toEqual(wanted);
    return;
  }
  const { distribution, realizable, ...statistics } = await getStatistics(statisticsAt(aggregates, asOf), {
    ...query,
    include,
  });
  expect(statistics).toEqual(wanted);
  if (include.includes('distribution')) expectDistribution(distribution, expected, asked);
  if (include.includes('realizable')) expectRealizable(realizable, expected, asked);
}

/** The service's figures, as if it were asked at an instant. */
export function statisticsAt(aggregates: Aggregates, asOf: Date) {
  return aggregateStatistics(
    {
      refresh: aggregates.refresh,
      read: async (period, options) => ({ ...(await aggregates.read(() => period(asOf), options)), asOf }),
    },
    { fresh: true },
  );
}
