import type { IndexPlan } from '@sigcast/mongo';
import {
  backtestIndexes,
  backtestsCollection,
  tradesCollection,
  tradesIndexes,
} from './backtest-document.ts';
import { logIndexes } from './mongo-tlog.ts';
import { trackedCollection, trackedIndexes } from './tracked-document.ts';

/** The service's indexes. `observations` has none but that of its ids. */
export const trackerIndexes: IndexPlan = {
  [trackedCollection]: trackedIndexes,
  [backtestsCollection]: backtestIndexes,
  [tradesCollection]: tradesIndexes,
  ...logIndexes,
};
