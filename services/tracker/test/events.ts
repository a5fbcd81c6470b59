import { type SignalEvent, type SignalStatus, sampleOf, tokenSchema } from '@sigcast/contracts';

/** One change of a signal, for tests. */
export type Change = {
  /** The signal's number. */
  readonly signal: number;
  readonly rev: number;
  /** When the figures were observed, in Unix milliseconds. */
  readonly atMs: number;
  readonly mcap: number;
  readonly liquidity?: number;
  readonly status?: SignalStatus;
  /** Whether the event says that the signal got its status; given by `rev` 1, and false for others unless given. */
  readonly getsStatus?: boolean;
  readonly mcapAth?: number;
  readonly athHours?: number;
  /** A producer's observation at `atMs` unless given. */
  readonly change?: SignalEvent['change'];
  /** When the change was recorded, in Unix milliseconds; `atMs` and 250 ms unless given. */
  readonly recordedMs?: number;
};

/** When the signals of tests are created, unless a test says otherwise. */
export const createdMs = Date.parse('2026-03-01T12:00:00Z');

/** The market cap and the liquidity of each signal of tests when it was created. */
export const entry = { mcap: 1_000, liquidity: 500 };

/** The id of a test's signal. */
export function signalId(signal: number): string {
  return `sig_${String(signal).padStart(20, '0')}`;
}

/** The event of a change of a signal that was created at `created`. */
export function eventOf({ signal, rev, atMs, mcap, ...rest }: Change, created = createdMs): SignalEvent {
  const {
    status = 'active',
    getsStatus = rev === 1,
    recordedMs = atMs + 250,
    liquidity = entry.liquidity,
    change = { observed_at: new Date(atMs).toISOString(), source: 'producer' },
  } = rest;
  const occurred_at = new Date(recordedMs).toISOString();
  const changed = status === 'active' || !getsStatus ? 'signal.updated' : (`signal.${status}` as const);
  return {
    id: `evt_${String(signal).padStart(20, '0')}${String(rev).padStart(6, '0')}`,
    type: rev === 1 ? 'signal.new' : changed,
    version: 1,
    occurred_at,
    rev,
    data: {
      id: signalId(signal),
      token: sampleOf(tokenSchema, { contract: `0x${signal}` }),
      metrics: {
        mcap_entry: entry.mcap,
        mcap_current: mcap,
        mcap_ath: rest.mcapAth ?? Math.max(entry.mcap, mcap),
        volume_24h: 10 + rev,
        holders: 20 + rev,
        liquidity,
      },
      performance: { roi: 0, ath_roi: 0, status, time_to_ath_hours: rest.athHours ?? 0 },
      type: 'new',
      is_premium: false,
      created_at: new Date(created).toISOString(),
      updated_at: occurred_at,
    },
    change,
  };
}
