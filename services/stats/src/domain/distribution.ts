import { type Statistics, type StatsQuery, signalTypes } from '@sigcast/contracts';
import { periodStart, toDistribution, toStatistics } from '@sigcast/statistics';
import type { DistributionStore } from './ports.ts';

/** The figures of a period with their distribution. */
export async function getDistribution(store: DistributionStore, query: StatsQuery): Promise<Statistics> {
  const { asOf, totals, distributions } = await store.distributions((at) => ({
    from: periodStart(query.period, at),
  }));
  const types = query.type === undefined ? signalTypes : [query.type];
  return { ...toStatistics(totals, types, asOf), distribution: toDistribution(distributions, types) };
}
