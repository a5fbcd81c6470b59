import {
  type ExitKind,
  exitKinds,
  knownRealizableSchema,
  receivedSignalEventSchema,
} from '@sigcast/contracts';
import type { CountedSignal } from '@sigcast/statistics';

/** The fields of a signal that statistics are made of, as of its revision `rev`. */
export type SignalFact = CountedSignal & {
  readonly id: string;
  /** Absent where there is no position. */
  readonly realizable?: Position | undefined;
  readonly createdAt: Date;
  readonly rev: number;
};

/** What an order by the exit rule has earned so far. */
export type Position = {
  /** Hundredths of a percent, an integer. */
  readonly roi: number;
  readonly exit: Exit;
};

/** How a position ended, or that it is open. */
export const exits = ['open', ...exitKinds] as const;
export type Exit = 'open' | ExitKind;

/** The version of the exit rule whose positions are counted. Positions by another one would not be comparable. */
export const exitRule = 'v1';

const { data: signal, realizable } = receivedSignalEventSchema.shape;

/** All fields that are read of a signal, from events and from the signals service. Other fields may change. */
export const factSourceSchema = signal.pick({ id: true, type: true, created_at: true }).extend({
  performance: signal.shape.performance.pick({
    status: true,
    roi: true,
    ath_roi: true,
    time_to_ath_hours: true,
  }),
});
type FactSource = ReturnType<typeof factSourceSchema.parse>;

/** All fields that are read of a position by the rule that is counted. */
const positionSchema = knownRealizableSchema.pick({ rule: true, roi: true, exit: true });

type PositionSource = ReturnType<typeof realizable.parse>;

/** All fields that are read of an event. Every event holds the whole signal, so the event's type is not needed. */
export const factEventSchema = receivedSignalEventSchema
  .pick({ version: true, rev: true })
  .extend({ data: factSourceSchema, realizable });

/** The fact of an event, or of a signal with its revision. */
export function factOf(event: {
  readonly rev: number;
  readonly data: FactSource;
  readonly realizable?: PositionSource;
}): SignalFact {
  const { id, type, performance, created_at } = event.data;
  return {
    id,
    type,
    status: performance.status,
    roi: hundredths(performance.roi),
    ath: { roi: hundredths(performance.ath_roi), after: hundredths(performance.time_to_ath_hours) },
    realizable: positionOf(event.realizable),
    createdAt: new Date(created_at),
    rev: event.rev,
  };
}

/** Another version of the rule, or what can't be read, is no position: the other figures of the signal count. */
function positionOf(source: PositionSource): Position | undefined {
  const { data } = positionSchema.safeParse(source);
  if (data?.rule !== exitRule) return undefined;
  return { roi: hundredths(data.roi), exit: data.exit ?? 'open' };
}

/** The event has two decimals, so rounding removes only the error of binary fractions. Adding 0 makes 0 of −0. */
function hundredths(value: number): number {
  return Math.round(value * 100) + 0;
}
