import type { NewSignalRequest, SignalType } from '@sigcast/contracts';
import type { Candidate } from './candidate.ts';
import type { Observation } from './observation.ts';

/** The sources of figures can't be asked now. */
export type SourceAway = { readonly kind: 'away'; readonly reason: string };

/** What sources say of tokens. Both wait for their permits, and never reject but for `stopping`. */
export type Markets = {
  /** What is known of candidates of one chain, 30 at most; a candidate that has no market is not in the answer. By `candidateKey`. */
  observe(
    candidates: readonly Candidate[],
    stopping: AbortSignal,
  ): Promise<{ readonly kind: 'observed'; readonly tokens: ReadonlyMap<string, Observation> } | SourceAway>;
  /**
   * The same with holders, risks and whether the makers have paid, as far as a source knows them. `unreadable`: the source has
   * answered something else, which says nothing about the risks.
   */
  withFacts(
    token: Observation,
    stopping: AbortSignal,
  ): Promise<
    { readonly kind: 'observed'; readonly token: Observation } | { readonly kind: 'unreadable' } | SourceAway
  >;
};

/** A signal that is made. */
export type Made = { readonly key: string; readonly request: NewSignalRequest };

/** The signals that were made, in the store. Methods throw SERVICE_UNAVAILABLE while the store is away. */
export type MadeSignals = {
  /** The types of which this token had a signal within the cool-down. */
  coolingDown(candidate: Candidate): Promise<ReadonlySet<SignalType>>;
  /** Writes a signal that is to be sent. @returns whether it was written: false where the token had one of its type meanwhile. */
  add(candidate: Candidate, request: NewSignalRequest): Promise<boolean>;
};
