import type { SignalEvent, SignalStatus, SignalType } from '@sigcast/contracts';

/** What statistics need to know of one signal, as it was after its change number `rev`. */
export type SignalFact = {
  readonly id: string;
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** Hundredths of a percent, an integer, so that sums never drift. */
  readonly roi: number;
  readonly createdAt: Date;
  readonly rev: number;
};

/** Every event carries the whole signal after the change, so one rule serves all event types. */
export function factOf(event: Pick<SignalEvent, 'rev' | 'data'>): SignalFact {
  const { id, type, performance, created_at } = event.data;
  return {
    id,
    type,
    status: performance.status,
    // Two decimals in the event; rounding only takes away what binary fractions added.
    roi: Math.round(performance.roi * 100) + 0,
    createdAt: new Date(created_at),
    rev: event.rev,
  };
}
