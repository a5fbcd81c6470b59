import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';
import { type Mark, type RollupSource, uncountedIndex } from '@sigcast/rollups';

/** A fact as the collection holds it. Owned by this service alone. */
export type FactDocument = {
  /** The signal's id. */
  _id: string;
  type: SignalType;
  status: SignalStatus;
  /** Hundredths of a percent, an integer. */
  roi: number;
  created_at: Date;
  rev: number;
  /** Set with every change, until it has been taken over into the rollups. */
  uncounted?: Mark;
};

export const factsCollection = 'signal_facts';

const byCreation = 'created';

export const factIndexes: readonly IndexSpec[] = [
  // Holds all that the figures need, so they are counted without fetching a single document.
  { name: byCreation, key: { created_at: 1, type: 1, status: 1, roi: 1 } },
  uncountedIndex,
];

/**
 * ROI is summed in two parts, each far from where doubles end: multiples of this, and the rest. A part of one fact is at
 * most 2^26 in size, as ROI is a safe integer; so sums are exact for 2^27 signals (134 million) even if every ROI were
 * the largest there is.
 */
const coarseRoi = 2 ** 27;
const coarsePart = { $round: [{ $divide: ['$roi', coarseRoi] }, 0] };
const finePart = { $subtract: ['$roi', { $multiply: [coarsePart, coarseRoi] }] };

/** What statistics are made of: number, both parts of the sum and maximum of ROI, in hundredths of a percent. */
export const factRollups: RollupSource = {
  collection: factsCollection,
  index: byCreation,
  measures: [{ sum: 1 }, { sum: coarsePart }, { sum: finePart }, { max: '$roi' }],
};

/** The figures that values of `factRollups` are, in their order. */
export function factFigures([facts = 0, coarse = 0, fine = 0, roiMax = 0]: readonly number[]) {
  return { facts, roiSum: BigInt(coarse) * BigInt(coarseRoi) + BigInt(fine), roiMax };
}
