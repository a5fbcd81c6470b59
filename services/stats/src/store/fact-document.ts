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
  /** Hundredths of a percent, an integer. Valid only where `rev` says so, see `knowsAth`. */
  ath_roi?: number;
  /** Hundredths of an hour, an integer. Valid where `ath_roi` is. */
  time_to_ath?: number;
  /** ROI by the exit rule: hundredths of a percent, an integer. Valid only where `rev` says so, see `knowsPosition`. */
  realizable_roi?: number;
  /** How the position ended, see `exitCodes`. Valid where `realizable_roi` is. */
  realizable_exit?: number;
  created_at: Date;
  /** The signal's `rev`, and a fraction more where the all-time high and the position are known, see `storedRevision`. */
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
  // Earlier versions read the first fields alone, so each field keeps its place.
  fields: ['roi', 'ath_roi', 'time_to_ath', 'realizable_roi', 'realizable_exit'],
  measures: [
    { sum: ({ status }) => (status === 'winner' ? 1 : 0) },
    { sum: ({ numbers: [roi = 0] }) => partsOf(roi)[0] },
    { sum: ({ numbers: [roi = 0] }) => partsOf(roi)[1] },
    { max: ({ numbers: [roi = 0] }) => roi },
  ],
  // Names are for good; see `DistributionSources`.
  distributions: {
    distribution: { title: 'The distribution', amountsOf: factAmounts },
    realizable: { title: 'Realizable ROI', amountsOf: positionAmounts },
  },
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
