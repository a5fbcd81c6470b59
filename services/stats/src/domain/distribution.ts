import {
  type Distribution,
  divideRounded,
  type SignalType,
  signalStatuses,
  type TypeDistribution,
} from '@sigcast/contracts';
import { countOf, percentilesOf } from './histogram.ts';
import type { DistributionTotals } from './ports.ts';

/** The published distribution of `types`, together and each by itself. */
export function toDistribution(
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
