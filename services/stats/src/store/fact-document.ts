import { type AggregateSource, type Dirty, dirtyIndex } from '@sigcast/aggregates';
import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import type { Totals } from '@sigcast/statistics';
import { factAmounts } from './fact-distribution.ts';
import { positionAmounts } from './fact-position.ts';
import { partsOf, sumOfParts } from './roi-parts.ts';

/** A fact as the collection holds it. Owned by this service alone. */
export type FactDocument = {
  /** The signal's id. */
  _id: string;
  type: SignalType;
  status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  roi: number;
  /** Hundredths of a percent, an integer. */
  ath_roi: number;
  /** Hundredths of an hour, an integer. */
  time_to_ath: number;
  /** ROI by the exit rule: hundredths of a percent, an integer; null where there is no position. */
  realizable_roi: number | null;
  /** How the position ended, see `exitCodes`; null where there is no position. */
  realizable_exit: number | null;
  created_at: Date;
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

/** What statistics are made of: winners, both parts of the sum of ROI, and its maximum, in hundredths of a percent. */
export const factAggregates: AggregateSource = {
  collection: factsCollection,
  index: byCreation,
  fields: ['roi', 'ath_roi', 'time_to_ath', 'realizable_roi', 'realizable_exit'],
  measures: [
    { sum: ({ status }) => (status === 'winner' ? 1 : 0) },
    { sum: ({ numbers: [roi = 0] }) => partsOf(roi)[0] },
    { sum: ({ numbers: [roi = 0] }) => partsOf(roi)[1] },
    { max: ({ numbers: [roi = 0] }) => roi },
  ],
  distributions: { distribution: factAmounts, realizable: positionAmounts },
};

/** Totals from the values of `factAggregates`, in their order. */
export function factTotals([
  total = 0,
  winners = 0,
  coarse = 0,
  fine = 0,
  roiMax = 0,
]: readonly number[]): Totals {
  return { total, winners, roiSum: sumOfParts(coarse, fine), roiMax };
}
