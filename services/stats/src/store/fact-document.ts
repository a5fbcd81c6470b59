import { type AggregateSource, type Dirty, dirtyIndex } from '@sigcast/aggregates';
import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import type { Totals } from '../domain/ports.ts';
import { factAmounts } from './fact-distribution.ts';

/** A fact as the collection holds it. Owned by this service alone. */
export type FactDocument = {
  /** The signal's id. */
  _id: string;
  type: SignalType;
  status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  roi: number;
  /** Likewise; of the signal's last change where `rev` says so. */
  ath_roi?: number;
  /** Hundredths of an hour, an integer, likewise. */
  time_to_ath?: number;
  created_at: Date;
  /** The signal's, and a fraction more where the all-time high is known, see `storedRevision`. */
  rev: number;
  /** Set with every change, until the aggregates have taken it in. */
  dirty?: Dirty;
};

export const factsCollection = 'signal_facts';

const byCreation = 'by_creation';

export const factIndexes: readonly IndexSpec[] = [
  // No field that changes: a fact that moves in an index while MongoDB reads it may be found twice, or not at all.
  { name: byCreation, key: { created_at: 1 } },
  dirtyIndex,
];

/**
 * ROI is summed in two parts, each far from where doubles end: multiples of this, and the rest. A part of one fact is at
 * most 2^26 in size, as ROI is a safe integer; so sums are exact for 2^27 signals (134 million) even if every ROI were
 * the largest there is.
 */
const coarseRoi = 2 ** 27;

/** What statistics are made of: winners, both parts of the sum of ROI, and its maximum, in hundredths of a percent. */
export const factAggregates: AggregateSource = {
  collection: factsCollection,
  index: byCreation,
  // The first is read by the version before, too.
  fields: ['roi', 'ath_roi', 'time_to_ath'],
  measures: [
    { sum: ({ status }) => (status === 'winner' ? 1 : 0) },
    { sum: ({ numbers: [roi = 0] }) => Math.round(roi / coarseRoi) },
    { sum: ({ numbers: [roi = 0] }) => roi - Math.round(roi / coarseRoi) * coarseRoi },
    { max: ({ numbers: [roi = 0] }) => roi },
  ],
  distribution: factAmounts,
};

/** The totals that values of `factAggregates` are, in their order. */
export function factTotals([
  total = 0,
  winners = 0,
  coarse = 0,
  fine = 0,
  roiMax = 0,
]: readonly number[]): Totals {
  return { total, winners, roiSum: BigInt(coarse) * BigInt(coarseRoi) + BigInt(fine), roiMax };
}
