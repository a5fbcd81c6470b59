import {
  type Realizable,
  type SignalEvent,
  type SignalStatus,
  type SignalType,
  sampleOf,
  signalEventSchema,
} from '@sigcast/contracts';
import type { Position } from '../src/domain/fact.ts';

/** A revision of a signal. */
export type Revision = {
  /** The signal's number. */
  readonly signal: number;
  readonly type: SignalType;
  readonly status: SignalStatus;
  /** Hundredths of a percent. */
  readonly roi: number;
  /** Hundredths of a percent, and of an hour; 0 where they are left out. */
  readonly athRoi?: number;
  readonly timeToAth?: number;
  readonly realizable?: Position | undefined;
  readonly createdAtMs: number;
  readonly rev: number;
};

/** A position as events and the signals service have it. */
export function realizableOf({ realizable, createdAtMs }: Revision): Realizable | undefined {
  if (!realizable) return undefined;
  const { roi, exit } = realizable;
  const at = (ms: number) => new Date(createdAtMs + ms).toISOString();
  return {
    rule: 'v1',
    roi: roi / 100,
    entered_at: at(60_000),
    ...(exit === 'open' ? { exited_at: null, exit: null } : { exited_at: at(3_600_000), exit }),
  };
}

/** The event of a revision. */
export function eventOf(revision: Revision): SignalEvent {
  const { signal, type, status, roi, athRoi = 0, timeToAth = 0, createdAtMs, rev } = revision;
  const number = String(signal).padStart(20, '0');
  const created_at = new Date(createdAtMs).toISOString();
  const realizable = realizableOf(revision);
  return sampleOf(signalEventSchema, {
    id: `evt_${number}${String(rev).padStart(6, '0')}`,
    type: rev === 1 ? 'signal.new' : status === 'active' ? 'signal.updated' : `signal.${status}`,
    occurred_at: created_at,
    rev,
    data: {
      id: `sig_${number}`,
      performance: { roi: roi / 100, ath_roi: athRoi / 100, status, time_to_ath_hours: timeToAth / 100 },
      type,
      created_at,
      updated_at: created_at,
    },
    ...(realizable && { realizable }),
  });
}
