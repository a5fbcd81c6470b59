import { type Statistics, type StatsQuery, signalTypes } from '@sigcast/contracts';
import { periodStart, toStatistics } from '@sigcast/statistics';
import type { StatisticsStore } from './ports.ts';

/**
 * The figures for the signals created less than a period before `as_of`. Signals with a `created_at` after `as_of`, from
 * a clock that is ahead, count as well.
 */
export async function getStatistics(store: StatisticsStore, query: StatsQuery): Promise<Statistics> {
  const { asOf, totals } = await store.totals((at) => ({ from: periodStart(query.period, at) }));
  return toStatistics(totals, query.type === undefined ? signalTypes : [query.type], asOf);
}
