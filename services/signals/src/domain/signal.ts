import {
  type OutgoingEvent,
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

/** The event of the change that led to `signal`. */
export function signalEvent(type: SignalEventType, signal: Signal, id: string): SignalEvent {
  return {
    id,
    type,
    version: signalEventVersion,
    occurred_at: signal.updatedAt.toISOString(),
    rev: signal.rev,
    data: toDetail(signal),
  };
}

/** The event with the trace context in which it was made, if there is one. */
export function withTrace(event: SignalEvent, traceparent: string | undefined): OutgoingEvent {
  return traceparent === undefined ? event : { ...event, traceparent };
}

/** False where the gain over a tiny entry is so large that its percentage is not exact or not finite. */
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
