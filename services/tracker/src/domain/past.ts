import {
  asOfDelayS,
  invalidRequest,
  maxPastSignals,
  maxPastTotal,
  type Page,
  type PastSignalsQuery,
  type PastStatsQuery,
  type Position,
  readPage,
  roiHundredths,
  type SignalDetail,
  type SignalFilter,
  type SignalStatus,
  type SignalType,
  type Statistics,
  signalFilter,
  signalTypes,
  type Total,
} from '@sigcast/contracts';
import { periodStart, startCount, toDistribution, toStatistics } from '@sigcast/statistics';
import { historyNotFound } from './history.ts';

/** A signal as the tracker knew it at an instant. */
export type PastSignal = Position & {
  readonly token: SignalDetail['token'];
  readonly type: SignalType;
  readonly isPremium: boolean;
  readonly status: SignalStatus;
  /** US dollars, as the other amounts. */
  readonly mcapEntry: number;
  readonly mcap: number;
  /** The highest market cap up to then, and hours from `createdAt` to it, two decimals. */
  readonly mcapAth: number;
  readonly athHours: number;
  readonly liquidity: number;
  readonly volume: number;
  readonly holders: number;
  /** When the signals service recorded these figures. */
  readonly updatedAt: Date;
};

/** An entry of a list: its position, and the signal; undefined where the store has lost the signal's observations. */
export type PastEntry = Position & { readonly signal: PastSignal | undefined };

/** Which signals are meant, by what was known of them at an instant. */
export type PastFilter = SignalFilter & { readonly asOf: Date };

/** Where the past is read. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type PastStore = {
  find(id: string, asOf: Date): Promise<PastSignal | undefined>;
  /**
   * Newest first, after a position or after `skip` others. An entry whose signal is lost stays in the page, so that a page
   * does not end early.
   */
  page(query: {
    readonly filter: PastFilter;
    readonly after?: Position | undefined;
    readonly skip: number;
    readonly limit: number;
  }): Promise<readonly PastEntry[]>;
  /** The number of signals; counting ends at `most`. */
  count(filter: PastFilter, most: number): Promise<number>;
  /** The number of signals among the newest `range` of the filter's time and token, and whether there are older ones. */
  total(filter: PastFilter, range: number): Promise<Total>;
};

/** Signals whose figures are looked up at once: with more, other requests would wait for connections. */
const signalsAtOnce = 12;

/** @throws {SigcastError} INVALID_REQUEST naming `as_of` where what was known then may not be recorded yet. */
export function requireRecorded(asOf: Date, now: Date): void {
  if (now.getTime() - asOf.getTime() >= asOfDelayS * 1000) return;
  const message = `must be at least ${asOfDelayS} seconds ago, so that all that was known then is recorded`;
  throw invalidRequest([{ field: 'as_of', message }]);
}

/** @throws {SigcastError} NOT_FOUND for a signal that was not known then; SERVICE_UNAVAILABLE. */
export async function getPastSignal(store: PastStore, id: string, asOf: Date): Promise<SignalDetail> {
  const signal = await store.find(id, asOf);
  if (signal === undefined) throw historyNotFound(id, asOf);
  return toDetail(signal);
}

/** @throws {SigcastError} INVALID_REQUEST naming `cursor` when no list has given it; SERVICE_UNAVAILABLE. */
export function listPastSignals(store: PastStore, query: PastSignalsQuery): Promise<Page<PastEntry>> {
  const filter = { ...signalFilter(query), asOf: query.as_of };
  return readPage(query, {
    read: (range) => store.page({ filter, ...range }),
    count: () => store.total(filter, maxPastTotal),
  });
}

/**
 * The figures over the signals that were created in the period before an instant, as they were known then.
 * @throws {SigcastError} INVALID_REQUEST naming `period` where there are more than `maxPastSignals`; SERVICE_UNAVAILABLE.
 * @throws the reason of `gone`, when nobody waits for the figures any more.
 */
export async function getPastStatistics(
  store: PastStore,
  { type, period, include, as_of: asOf }: PastStatsQuery,
  gone?: AbortSignal,
): Promise<Statistics> {
  gone?.throwIfAborted();
  const types = type === undefined ? signalTypes : [type];
  const filter = { asOf, types: type && types, createdAfter: periodStart(period, asOf) };
  if ((await store.count(filter, maxPastSignals + 1)) > maxPastSignals) {
    const message = `has more than ${maxPastSignals} signals, and as_of allows ${maxPastSignals}: choose a shorter period, or one type`;
    throw invalidRequest([{ field: 'period', message }]);
  }
  const { add, totals, distributions } = startCount();
  for await (const signal of allSignals(store, filter)) {
    gone?.throwIfAborted();
    const { mcapEntry, mcap, mcapAth, athHours, status } = signal;
    const ath = { roi: roiHundredths(mcapEntry, mcapAth), after: Math.round(athHours * 100) };
    add({ type: signal.type, status, roi: roiHundredths(mcapEntry, mcap), ath });
  }
  return {
    ...toStatistics(totals, types, asOf),
    ...(include && { distribution: toDistribution(distributions, types) }),
  };
}

/** All signals, newest first, read as they are consumed. Each page is found by position, whatever changes in between. */
async function* allSignals(store: PastStore, filter: PastFilter): AsyncGenerator<PastSignal> {
  for (let after: Position | undefined; ; ) {
    const entries = await store.page({ filter, after, skip: 0, limit: signalsAtOnce });
    for (const { signal } of entries) if (signal) yield signal;
    if (entries.length < signalsAtOnce) return;
    after = entries.at(-1);
  }
}

/** The signal with all its fields, as it was shown then. */
export function toDetail(signal: PastSignal): SignalDetail {
  const { id, token, type, isPremium, status, mcapEntry, mcap, mcapAth, athHours } = signal;
  return {
    id,
    token,
    metrics: {
      mcap_entry: mcapEntry,
      mcap_current: mcap,
      mcap_ath: mcapAth,
      volume_24h: signal.volume,
      holders: signal.holders,
      liquidity: signal.liquidity,
    },
    performance: {
      roi: roiHundredths(mcapEntry, mcap) / 100,
      ath_roi: roiHundredths(mcapEntry, mcapAth) / 100,
      status,
      time_to_ath_hours: athHours,
    },
    type,
    is_premium: isPremium,
    created_at: signal.createdAt.toISOString(),
    updated_at: signal.updatedAt.toISOString(),
  };
}
