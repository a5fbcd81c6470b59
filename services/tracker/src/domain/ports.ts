import type { Revision } from './revision.ts';

/** Where the history is written. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type RevisionStore = {
  /**
   * Records the revision of an event: its observation exactly once, and the signal as of the highest revision. Order and
   * repetitions do not matter.
   */
  record(revision: Revision): Promise<void>;
};
