import type { SignalStatus } from '@sigcast/contracts';
import type { Observation, Revision } from './revision.ts';

/** Where the history is written. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type RevisionStore = {
  /**
   * Records the revision of an event: its observation exactly once, and the signal as of the highest revision. Order and
   * repetitions do not matter.
   */
  record(revision: Revision): Promise<void>;
  /**
   * Records the present states of signals. Each becomes the observation of its revision, until the event of that revision is
   * recorded. A signal of which this revision or a higher one is known is left as it is.
   *
   * @param states one for each signal, at most 1,000. @returns how many were recorded.
   */
  recordStates(states: readonly Revision[]): Promise<number>;
};

/** What the history says of a signal as a whole, as of its revision `rev`. */
export type SignalSummary = {
  readonly id: string;
  readonly rev: number;
  readonly createdAt: Date;
  readonly status: SignalStatus;
  /** US dollars. */
  readonly mcapEntry: number;
  /** The highest market cap as the signals service has it, US dollars. */
  readonly mcapAth: number;
  /** Hours from `createdAt` to the highest market cap, two decimals. */
  readonly athHours: number;
};

/** The fields of an observation that the history is made of. */
export type HistoryObservation = Pick<
  Observation,
  'at' | 'recordedAt' | 'mcap' | 'liquidity' | 'source' | 'status' | 'evidence'
>;

/** Where the history is read. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type HistoryStore = {
  find(id: string): Promise<SignalSummary | undefined>;
  /** The observations of a signal up to a revision, in order of their revisions, read as they are consumed. */
  observations(signal: Pick<SignalSummary, 'id' | 'rev'>): AsyncIterable<HistoryObservation>;
};
