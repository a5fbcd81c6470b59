import type { Amounts, Counted, Sums } from '@sigcast/aggregates';
import { type SignalStatus, signalStatuses } from '@sigcast/contracts';
import { bucketOf, type DistributionTotals } from '@sigcast/statistics';
import { knowsAth } from './fact-revision.ts';

/** Where the keys of each kind of sums begin: histograms of ROI and of all-time high ROI, signals by status, hours to the high. */
const range = 2 ** 15;
const kinds = { roi: 0, athRoi: range, status: 2 * range, timeToAth: 3 * range } as const;
/** Added to a bucket, because buckets may be negative and keys may not. */
const zeroBucket = range / 2;

/**
 * What a fact adds to the sums of its type, without the all-time high where `rev` says that it is not known. Undefined where
 * `rev` says that the all-time high is known, but a process of an earlier version stored the state without it.
 */
export function factAmounts({ rev, state }: Counted): Amounts | undefined {
  // In the order of `factAggregates.fields`.
  const [roi = 0, athRoi, timeToAth] = state.numbers;
  const always: Amounts = [
    [kinds.roi + zeroBucket + bucketOf(roi), 1],
    [kinds.status + signalStatuses.indexOf(state.status), 1],
  ];
  if (!knowsAth(rev)) return always;
  if (!isNumber(athRoi) || !isNumber(timeToAth)) return undefined;
  return [...always, [kinds.athRoi + zeroBucket + bucketOf(athRoi), 1], [kinds.timeToAth, timeToAth]];
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
    ...{ roi, athRoi, timeToAth: sums.get(kinds.timeToAth) ?? 0 },
    byStatus: Object.fromEntries(byStatus) as Record<SignalStatus, number>,
  };
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value);
}
