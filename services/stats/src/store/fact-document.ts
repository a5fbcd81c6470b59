import { type AggregateSource, type Dirty, dirtyIndex } from '@sigcast/aggregates';
import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import type { Totals } from '@sigcast/statistics';
import { factAmounts } from './fact-distribution.ts';

/** A fact as the collection holds it. Owned by this service alone. */
export type FactDocument = {
  /** The signal's id. */
  _id: string;
  type: SignalType;
  status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  roi: number;
  /** Hundredths of a percent, an integer. Valid only where `rev` says so, see `knowsAth`. */
  ath_roi?: number;
  /** Hundredths of an hour, an integer. Valid where `ath_roi` is. */
  time_to_ath?: number;
  created_at: Date;
  /** The signal's `rev`, and a fraction more where the all-time high is known, see `storedRevision`. */
  rev: number;
  /** Set with every change, and cleared once the change is counted. */
  dirty?: Dirty;
};

export const factsCollection = 'signal_facts';

const byCreation = 'by_creation';

export const factIndexes: readonly IndexSpec[] = [
  // Has no field that changes: a fact that moves in an index during a scan may be read twice or not at all.
  { name: byCreation, key: { created_at: 1 } },
  dirtyIndex,
];

/**
 * ROI is summed in two parts, a multiple of this number and the rest. A part of one fact is at most 2^26 in size, as ROI
 * is a safe integer. So sums stay safe integers for 2^27 signals (134 million), even with the largest possible ROI.
 */
const coarseRoi = 2 ** 27;

/** What statistics are made of: winners, both parts of the sum of ROI, and its maximum, in hundredths of a percent. */
export const factAggregates: AggregateSource = {
  collection: factsCollection,
  index: byCreation,
  // The version before reads the first field alone, so it stays the first.
  fields: ['roi', 'ath_roi', 'time_to_ath'],
  measures: [
    { sum: ({ status }) => (status === 'winner' ? 1 : 0) },
    { sum: ({ numbers: [roi = 0] }) => Math.round(roi / coarseRoi) },
    { sum: ({ numbers: [roi = 0] }) => roi - Math.round(roi / coarseRoi) * coarseRoi },
    { max: ({ numbers: [roi = 0] }) => roi },
  ],
  distribution: factAmounts,
};

/** Totals from the values of `factAggregates`, in their order. */
export function factTotals([
  total = 0,
  winners = 0,
  coarse = 0,
  fine = 0,
  roiMax = 0,
]: readonly number[]): Totals {
  return { total, winners, roiSum: BigInt(coarse) * BigInt(coarseRoi) + BigInt(fine), roiMax };
}
