import type { PendingObservation } from './following.ts';

/** An observation of one signal. */
export type SignalObservation = { readonly id: string; readonly observation: PendingObservation };

/** Why the signals service refuses figures or a decision for good. */
export type Refusal = 'conflict' | 'invalid' | 'not_found';

/** What became of some observations. A decision is sent apart from figures, and after the figures that it rests on. */
export type SendReport =
  | {
      readonly kind: 'answered';
      /** Figures that changed their signals. */
      readonly applied: number;
      /** Figures that changed nothing: they were applied before, or newer ones were. */
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
  /** It is not known what became of them; all are to be sent again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Sends observations of different signals to the signals service. Never rejects. */
export type SendObservations = (observations: readonly SignalObservation[]) => Promise<SendReport>;
