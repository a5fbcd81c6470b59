import { type Statistics, type StatsQuery, signalTypes } from '@sigcast/contracts';
import { periodStart, toDistribution, toStatistics } from '@sigcast/statistics';
import type { StatisticsStore } from './ports.ts';
import { toRealizable } from './realizable.ts';

/**
 * The figures of the signals created less than a period before `as_of`, with what `include` asks for. Signals with a
 * `created_at` after `as_of`, from a clock that is ahead, count as well.
 */
export async function getStatistics(
  store: StatisticsStore,
  { type, period, include }: StatsQuery,
): Promise<Statistics> {
  const select = (asOf: Date) => ({ after: periodStart(period, asOf) });
  const { asOf, totals, distribution, realizable } = await store.totals(select, include);
  const types = type === undefined ? signalTypes : [type];
  return {
    ...toStatistics(totals, types, asOf),
    ...(distribution && { distribution: toDistribution(distribution, types) }),
    ...(realizable && { realizable: toRealizable(realizable, types) }),
  };
}
