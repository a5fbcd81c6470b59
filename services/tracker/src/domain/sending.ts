import type { PendingObservation } from './following.ts';

/** An observation of one signal. */
export type SignalObservation = { readonly id: string; readonly observation: PendingObservation };

/** Why the signals service takes an observation never. */
export type Refusal = 'conflict' | 'invalid' | 'not_found';

/** What became of some observations. */
export type SendReport =
  | {
      readonly kind: 'answered';
      /** Changed their signals. */
      readonly applied: number;
      /** Brought nothing new: a newer observation was applied, or this one before. */
      readonly unchanged: number;
      /** Refused for good, by the signal's id. */
      readonly refused: ReadonlyMap<string, { readonly refusal: Refusal; readonly message: string }>;
      /** To be sent again: the service can't take them now. */
      readonly later: ReadonlySet<string>;
    }
  /** Nothing is known; all are to be sent again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Sends observations of different signals to the signals service. Never rejects. */
export type SendObservations = (observations: readonly SignalObservation[]) => Promise<SendReport>;
