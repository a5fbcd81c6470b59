import {
  type Distribution,
  divideRounded,
  type SignalType,
  type Statistics,
  type StatsQuery,
  signalStatuses,
  signalTypes,
  type TypeDistribution,
} from '@sigcast/contracts';
import { countOf, percentilesOf } from './histogram.ts';
import type { DistributionStore, DistributionTotals } from './ports.ts';
import { periodStart, toStatistics } from './statistics.ts';

/** The figures of a period with their distribution. */
export async function getDistribution(store: DistributionStore, query: StatsQuery): Promise<Statistics> {
  const { asOf, totals, distributions } = await store.distributions((at) => ({
    from: periodStart(query.period, at),
  }));
  const types = query.type === undefined ? signalTypes : [query.type];
  return { ...toStatistics(totals, types, asOf), distribution: toDistribution(distributions, types) };
}

/** The published distribution of `types`, together and each by itself. */
function toDistribution(
  distributions: ReadonlyMap<SignalType, DistributionTotals>,
  types: readonly SignalType[],
): Distribution {
  const of = (type: SignalType) => distributions.get(type) ?? [];
  return {
    ...together(types.flatMap(of)),
    by_type: Object.fromEntries(types.map((type) => [type, together([of(type)].flat())])),
  };
}

function together(parts: readonly DistributionTotals[]): TypeDistribution {
  const sum = (of: (part: DistributionTotals) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const [roi, athRoi] = [parts.map((part) => part.roi), parts.map((part) => part.athRoi)];
  const athSignals = countOf(athRoi);
  const hours = sum((part) => part.timeToAth);
  const byStatus = signalStatuses.map((status) => [status, sum((part) => part.byStatus[status])]);
  return {
    by_status: Object.fromEntries(byStatus) as TypeDistribution['by_status'],
    roi: percentilesOf(roi),
    ath_roi: percentilesOf(athRoi),
    avg_time_to_ath_hours: athSignals === 0 ? 0 : divideRounded(BigInt(hours), BigInt(athSignals)) / 100,
    ath_signals: athSignals,
  };
}
