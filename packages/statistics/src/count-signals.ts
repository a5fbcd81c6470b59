import { type SignalStatus, type SignalType, signalStatuses } from '@sigcast/contracts';
import type { DistributionTotals } from './distribution.ts';
import type { Totals, TotalsByType } from './figures.ts';
import { addTo } from './histogram.ts';

/** The fields of a signal that figures are made of. */
export type CountedSignal = {
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  readonly roi: number;
  /**
   * The highest market cap so far: its ROI in hundredths of a percent, and when it was reached, in hundredths of an hour
   * after the signal's creation. Integers.
   */
  readonly ath: { readonly roi: number; readonly after: number };
};

/** The totals of a type with one signal more. @param totals undefined where the type had no signal. */
export function withSignal(
  totals: Totals | undefined,
  { status, roi }: Pick<CountedSignal, 'status' | 'roi'>,
): Totals {
  const { total, winners, roiSum, roiMax } = totals ?? { total: 0, winners: 0, roiSum: 0n, roiMax: roi };
  return {
    total: total + 1,
    winners: winners + (status === 'winner' ? 1 : 0),
    roiSum: roiSum + BigInt(roi),
    roiMax: Math.max(roiMax, roi),
  };
}

type CountedDistribution = {
  readonly byStatus: Record<SignalStatus, number>;
  readonly roi: Map<number, number>;
  readonly athRoi: Map<number, number>;
  timeToAth: number;
};

/**
 * Counts signals one by one. `add` counts a signal; `totals` and `distributions` have what was counted so far, by type. A
 * type without signals is absent.
 */
export function startCount() {
  const totals = new Map<SignalType, Totals>();
  const distributions = new Map<SignalType, CountedDistribution>();
  const none = (): CountedDistribution => ({
    byStatus: Object.fromEntries(signalStatuses.map((status) => [status, 0])) as Record<SignalStatus, number>,
    roi: new Map(),
    athRoi: new Map(),
    timeToAth: 0,
  });
  return {
    add: (signal: CountedSignal): void => {
      const { type, status, roi, ath } = signal;
      totals.set(type, withSignal(totals.get(type), signal));
      const distribution = distributions.get(type) ?? none();
      distributions.set(type, distribution);
      distribution.byStatus[status] += 1;
      addTo(distribution.roi, roi);
      addTo(distribution.athRoi, ath.roi);
      distribution.timeToAth += ath.after;
    },
    totals: totals as TotalsByType,
    distributions: distributions as ReadonlyMap<SignalType, DistributionTotals>,
  };
}
