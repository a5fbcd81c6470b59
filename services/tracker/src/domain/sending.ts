import type { PendingObservation } from './following.ts';

/** An observation of one signal. */
export type SignalObservation = { readonly id: string; readonly observation: PendingObservation };

/** Why the signals service takes figures or a decision never. */
export type Refusal = 'conflict' | 'invalid' | 'not_found';

/** What became of some observations. A decision is sent after the figures that it rests on, and apart from them. */
export type SendReport =
  | {
      readonly kind: 'answered';
      /** Figures that changed their signals. */
      readonly applied: number;
      /** Figures that brought nothing new: newer ones were applied, or these before. */
      readonly unchanged: number;
      /** Ids of signals that have the decided status now. */
      readonly decided: ReadonlySet<string>;
      /** Figures or a decision refused for good, by the signal's id. */
      readonly refused: ReadonlyMap<string, { readonly refusal: Refusal; readonly message: string }>;
      /** Figures and decisions to be sent again, by the signal's id, with the reason. */
      readonly later: ReadonlyMap<string, string>;
      /** Why the service does not take what it should take. */
      readonly problem?: string;
    }
  /** Nothing is known; all are to be sent again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Sends observations of different signals to the signals service. Never rejects. */
export type SendObservations = (observations: readonly SignalObservation[]) => Promise<SendReport>;
