import {
  type Distribution,
  type SignalStatus,
  type SignalType,
  signalStatuses,
  type TypeDistribution,
} from '@sigcast/contracts';
import { countOf, type Histogram, percentilesOf } from './histogram.ts';
import { meanOf } from './rounded.ts';

/** How the signals of one type are distributed. */
export type DistributionTotals = {
  readonly byStatus: Readonly<Record<SignalStatus, number>>;
  readonly roi: Histogram;
  /** Of the signals whose all-time high is known. */
  readonly athRoi: Histogram;
  /** Sum over the same signals: hundredths of an hour from creation to all-time high. */
  readonly timeToAth: number;
};

/** The published distribution of all of `types` together, and of each. */
export function toDistribution(
  distributions: ReadonlyMap<SignalType, DistributionTotals>,
  types: readonly SignalType[],
): Distribution {
  const of = (...wanted: readonly SignalType[]) =>
    together(wanted.flatMap((type) => distributions.get(type) ?? []));
  return { ...of(...types), by_type: Object.fromEntries(types.map((type) => [type, of(type)])) };
}

function together(parts: readonly DistributionTotals[]): TypeDistribution {
  const sum = (of: (part: DistributionTotals) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const [roi, athRoi] = [parts.map((part) => part.roi), parts.map((part) => part.athRoi)];
  const athSignals = countOf(athRoi);
  const byStatus = signalStatuses.map((status) => [status, sum((part) => part.byStatus[status])]);
  return {
    by_status: Object.fromEntries(byStatus) as TypeDistribution['by_status'],
    roi: percentilesOf(roi),
    ath_roi: percentilesOf(athRoi),
    avg_time_to_ath_hours: meanOf(BigInt(sum((part) => part.timeToAth)), athSignals),
    ath_signals: athSignals,
  };
}
