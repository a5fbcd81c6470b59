import { receivedSignalEventSchema, type SignalStatus, type SignalType } from '@sigcast/contracts';

/** What statistics need to know of one signal, as it was after its change number `rev`. */
export type SignalFact = {
  readonly id: string;
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** Hundredths of a percent, an integer, so that sums never drift. */
  readonly roi: number;
  /** Absent in facts that a version recorded which did not know it. */
  readonly ath?: AllTimeHigh | undefined;
  readonly createdAt: Date;
  readonly rev: number;
};

/** A signal's highest market cap so far. */
export type AllTimeHigh = {
  /** Hundredths of a percent, an integer. */
  readonly roi: number;
  /** Hundredths of an hour, an integer: from the signal's creation to its high. */
  readonly after: number;
};

const { data: signal } = receivedSignalEventSchema.shape;

/** What facts are made of: all that is read of a signal, whoever sends it. The rest of it may change. */
export const factSourceSchema = signal.pick({ id: true, type: true, created_at: true }).extend({
  performance: signal.shape.performance.pick({
    ...{ status: true, roi: true, ath_roi: true, time_to_ath_hours: true },
  }),
});
export type FactSource = ReturnType<typeof factSourceSchema.parse>;

/** What is read of an event. Each carries the whole signal after a change, so its type is not. */
export const factEventSchema = receivedSignalEventSchema
  .pick({ version: true, rev: true })
  .extend({ data: factSourceSchema });

/** The fact that an event, or a signal with the number of its last change, tells. */
export function factOf(event: { readonly rev: number; readonly data: FactSource }): SignalFact {
  const { id, type, performance, created_at } = event.data;
  return {
    id,
    type,
    status: performance.status,
    roi: hundredths(performance.roi),
    ath: { roi: hundredths(performance.ath_roi), after: hundredths(performance.time_to_ath_hours) },
    createdAt: new Date(created_at),
    rev: event.rev,
  };
}

/** Two decimals in the event; rounding only takes away what binary fractions added. */
function hundredths(value: number): number {
  return Math.round(value * 100) + 0;
}
