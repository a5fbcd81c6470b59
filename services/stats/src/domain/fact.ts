import { receivedSignalEventSchema, type SignalStatus, type SignalType } from '@sigcast/contracts';

/** The fields of a signal that statistics are made of, as of its revision `rev`. */
export type SignalFact = {
  readonly id: string;
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** Hundredths of a percent, an integer, so that sums never drift. */
  readonly roi: number;
  /** Absent in facts that an earlier version recorded. */
  readonly ath?: AllTimeHigh | undefined;
  readonly createdAt: Date;
  readonly rev: number;
};

/** A signal's highest market cap so far. */
type AllTimeHigh = {
  /** Hundredths of a percent, an integer. */
  readonly roi: number;
  /** Hundredths of an hour, an integer: from the signal's creation to its high. */
  readonly after: number;
};

const { data: signal } = receivedSignalEventSchema.shape;

/** All fields that are read of a signal, from events and from the signals service. Other fields may change. */
export const factSourceSchema = signal.pick({ id: true, type: true, created_at: true }).extend({
  performance: signal.shape.performance.pick({
    ...{ status: true, roi: true, ath_roi: true, time_to_ath_hours: true },
  }),
});
export type FactSource = ReturnType<typeof factSourceSchema.parse>;

/** All fields that are read of an event. Every event holds the whole signal, so the event's type is not needed. */
export const factEventSchema = receivedSignalEventSchema
  .pick({ version: true, rev: true })
  .extend({ data: factSourceSchema });

/** The fact of an event, or of a signal with its revision. */
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

/** The event has two decimals, so rounding removes only the error of binary fractions. */
function hundredths(value: number): number {
  return Math.round(value * 100) + 0;
}
