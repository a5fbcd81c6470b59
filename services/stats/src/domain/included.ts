import { type Statistics, type StatsQuery, signalTypes } from '@sigcast/contracts';
import { periodStart, toDistribution, toStatistics } from '@sigcast/statistics';
import type { DistributionStore } from './ports.ts';
import { toRealizable } from './realizable.ts';

/** The figures of a period with those that `include` asks for. */
export async function getStatisticsWith(
  store: DistributionStore,
  { type, period, include = [] }: StatsQuery,
): Promise<Statistics> {
  const from = (asOf: Date) => ({ from: periodStart(period, asOf) });
  const { asOf, totals, distribution, realizable } = await store.distributions(include, from);
  const types = type === undefined ? signalTypes : [type];
  return {
    ...toStatistics(totals, types, asOf),
    ...(distribution && { distribution: toDistribution(distribution, types) }),
    ...(realizable && { realizable: toRealizable(realizable, types) }),
  };
}
