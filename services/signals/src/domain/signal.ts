import {
  type ChangeSource,
  type Evidence,
  type Origin,
  type Outcome,
  type OutgoingEvent,
  type Realizable,
  roiHundredths,
  type SignalDetail,
  type SignalEvent,
  type SignalEventType,
  type SignalStatus,
  type SignalType,
  signalEventVersion,
} from '@sigcast/contracts';

/** A signal as this service keeps it: what was observed. {@link toDetail} derives the rest. */
export type Signal = {
  readonly id: string;
  /** Counts the changes from 1. */
  readonly rev: number;
  readonly token: SignalDetail['token'];
  readonly metrics: SignalDetail['metrics'];
  readonly status: SignalStatus;
  readonly type: SignalType;
  readonly isPremium: boolean;
  readonly createdAt: Date;
  /** When the newest applied observation was made. An older observation is ignored. */
  readonly observedAt: Date;
  /** When `metrics.mcap_ath` was observed. */
  readonly athAt: Date;
  readonly updatedAt: Date;
  /** How the status was decided; absent while the signal is active. */
  readonly decision?: Decision | undefined;
  /** What the signal rests on; absent where the producer did not say. */
  readonly origin?: Origin | undefined;
  /** The newest result of the exit rule; absent where the tracker knows of no position. */
  readonly realizable?: Realizable | undefined;
};

/** How a status was decided. */
export type Decision = {
  readonly status: Exclude<SignalStatus, 'active'>;
  /** When the status changed. */
  readonly at: Date;
  /** What the tracker's rules rest on; absent where a producer decided. */
  readonly evidence?: Evidence | undefined;
};

/** How far a producer's clock may run ahead of this service's clock, in milliseconds. Later instants are refused. */
export const clockToleranceMs = 60_000;

const msPerHour = 3_600_000;

/** The signal as clients and events show it, with all derived fields. */
export function toDetail(signal: Signal): SignalDetail {
  const { mcap_entry, mcap_current, mcap_ath } = signal.metrics;
  return {
    id: signal.id,
    token: signal.token,
    metrics: signal.metrics,
    performance: {
      roi: roiHundredths(mcap_entry, mcap_current) / 100,
      ath_roi: roiHundredths(mcap_entry, mcap_ath) / 100,
      status: signal.status,
      time_to_ath_hours: hoursBetween(signal.createdAt, signal.athAt),
    },
    type: signal.type,
    is_premium: signal.isPremium,
    created_at: signal.createdAt.toISOString(),
    updated_at: signal.updatedAt.toISOString(),
  };
}

/** How the signal's status was decided, as clients see it; null while the signal is active. */
export function toOutcome({ decision }: Signal): Outcome | null {
  if (decision === undefined) return null;
  const { status, at, evidence } = decision;
  return {
    status,
    decided_by: evidence === undefined ? 'producer' : 'rule',
    rule: evidence?.rule ?? null,
    decided_at: at.toISOString(),
    observations: evidence?.observations ?? [],
  };
}

/** The id of a change's event, and where the change comes from. */
type EventOrigin = {
  readonly id: string;
  readonly source: ChangeSource;
  /** Only where the status changed. */
  readonly evidence?: Evidence | undefined;
};

/** The event of the change that led to `signal`. */
export function signalEvent(
  type: SignalEventType,
  signal: Signal,
  { id, source, evidence }: EventOrigin,
): SignalEvent {
  return {
    id,
    type,
    version: signalEventVersion,
    occurred_at: signal.updatedAt.toISOString(),
    rev: signal.rev,
    data: toDetail(signal),
    change: {
      observed_at: signal.observedAt.toISOString(),
      source,
      ...(evidence === undefined ? {} : { evidence }),
      ...(type === 'signal.new' && signal.origin && { origin: madeBy(signal.origin) }),
    },
    ...(signal.realizable === undefined ? {} : { realizable: signal.realizable }),
  };
}

function madeBy({ rule, observed_at }: Origin): NonNullable<SignalEvent['change']['origin']> {
  return { rule, observed_at };
}

/** The event with the trace context in which it was made, if there is one. */
export function withTrace(event: SignalEvent, traceparent: string | undefined): OutgoingEvent {
  return traceparent === undefined ? event : { ...event, traceparent };
}

/** Whether the gain is exact in hundredths of a percent. It is not where the entry is so small that the gain is too large. */
export function hasExactRoi(mcapEntry: number, mcap: number): boolean {
  return Number.isSafeInteger(roiHundredths(mcapEntry, mcap));
}

export function latest(a: Date, b: Date): Date {
  return a >= b ? a : b;
}

export function earliest(a: Date, b: Date): Date {
  return a <= b ? a : b;
}

function hoursBetween(from: Date, to: Date): number {
  return Math.round(((to.getTime() - from.getTime()) / msPerHour) * 100) / 100;
}
