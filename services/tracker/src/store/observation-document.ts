import type { SignalStatus } from '@sigcast/contracts';
import type { KnownRevision } from '../domain/revision.ts';

/** An observation as the collection holds it: one for each revision of a signal. */
export type ObservationDocument = {
  /** See {@link observationId}. The only index: the observations of a signal are a range of it, in order of `rev`. */
  _id: string;
  /** When the figures were observed. */
  at: Date;
  /** When the signals service recorded them. */
  recorded_at: Date;
  /** When the tracker recorded the revision first. As of earlier instants the revision is not known. */
  known_at: Date;
  /** US dollars, as `mcap_ath`, `liquidity` and `volume`. */
  mcap: number;
  /** The highest market cap up to this revision, and hours from the signal's creation to that market cap. */
  mcap_ath: number;
  ath_hours: number;
  liquidity: number;
  volume: number;
  holders: number;
  source: 'tracker' | 'producer';
  /** The status that the signal got by this revision. */
  status?: SignalStatus;
  evidence?: { rule: string; observations: Date[] };
  /** Recorded from the signal's state, without its event. The event's observation replaces it. */
  from_state?: true;
};

export const observationsCollection = 'observations';

/** Digits of `rev` in an id, in base 36: enough for 2,176,782,335 revisions. */
const revDigits = 6;

/** The id of a signal's observation. */
export function observationId(signal: string, rev: number): string {
  return `${signal}:${rev.toString(36).padStart(revDigits, '0')}`;
}

/** The ids of all observations of a signal: `;` is the character after `:`. */
export function observationRange(signal: string): { readonly $gt: string; readonly $lt: string } {
  return { $gt: `${signal}:`, $lt: `${signal};` };
}

/** The ids of a signal's observations up to a revision, itself included. */
export function observationsUpTo(
  signal: string,
  rev: number,
): { readonly $gt: string; readonly $lte: string } {
  return { $gt: `${signal}:`, $lte: observationId(signal, rev) };
}

/** An observation as it is stored. */
export function toDocument({
  id,
  rev,
  mcapAth,
  athHours,
  knownAt,
  observation,
}: KnownRevision): ObservationDocument {
  const { at, recordedAt, mcap, liquidity, volume, holders, source, status, evidence } = observation;
  return {
    _id: observationId(id, rev),
    at,
    recorded_at: recordedAt,
    known_at: knownAt,
    mcap,
    mcap_ath: mcapAth,
    ath_hours: athHours,
    liquidity,
    volume,
    holders,
    source,
    ...(status !== undefined && { status }),
    ...(evidence !== undefined && {
      evidence: { rule: evidence.rule, observations: [...evidence.observations] },
    }),
  };
}
