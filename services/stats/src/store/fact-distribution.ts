import type { Amounts, State, Sums } from '@sigcast/aggregates';
import { type SignalStatus, signalStatuses } from '@sigcast/contracts';
import { bucketOf, type DistributionTotals } from '@sigcast/statistics';

/** Where the keys of each kind of sums begin: histograms of ROI and of all-time high ROI, signals by status, hours to the high. */
const range = 2 ** 15;
const kinds = { roi: 0, athRoi: range, status: 2 * range, timeToAth: 3 * range } as const;
/** Added to a bucket, because buckets may be negative and keys may not. */
const zeroBucket = range / 2;

/** What a fact adds to the sums of its type. */
export function factAmounts({ status, numbers }: State): Amounts {
  // In the order of `factAggregates.fields`.
  const [roi = 0, athRoi = 0, timeToAth = 0] = numbers;
  return [
    [kinds.roi + zeroBucket + bucketOf(roi), 1],
    [kinds.status + signalStatuses.indexOf(status), 1],
    [kinds.athRoi + zeroBucket + bucketOf(athRoi), 1],
    [kinds.timeToAth, timeToAth],
  ];
}

/** The distribution of a type, from its sums. */
export function toDistributionTotals(sums: Sums): DistributionTotals {
  const [roi, athRoi] = [new Map<number, number>(), new Map<number, number>()];
  for (const [key, sum] of sums) {
    if (key < kinds.athRoi) roi.set(key - kinds.roi - zeroBucket, sum);
    else if (key < kinds.status) athRoi.set(key - kinds.athRoi - zeroBucket, sum);
  }
  const byStatus = signalStatuses.map((status, index) => [status, sums.get(kinds.status + index) ?? 0]);
  return {
    roi,
    athRoi,
    timeToAth: sums.get(kinds.timeToAth) ?? 0,
    byStatus: Object.fromEntries(byStatus) as Record<SignalStatus, number>,
  };
}
