import type { IndexSpec } from '@sigcast/mongo';
import { archiveCollection, archiveIndexes } from './mongo-archive.ts';
import { signalIndexes, signalsCollection } from './signal-document.ts';

/** The indexes of the service's collections. */
export const signalsServiceIndexes = {
  [signalsCollection]: signalIndexes,
  [archiveCollection]: archiveIndexes,
} satisfies Record<string, readonly IndexSpec[]>;
