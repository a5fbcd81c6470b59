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

/** What statistics are made of: number, sum and maximum of ROI, in hundredths of a percent. */
export const factRollups: RollupSource = {
  collection: factsCollection,
  index: byCreation,
  measures: [{ sum: 1 }, { sum: '$roi' }, { max: '$roi' }],
};
