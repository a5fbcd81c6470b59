import {
  type BacktestParameters,
  creationConditionFields,
  matcherOfFilter,
  type SignalDetail,
  type SignalFilter,
} from '@sigcast/contracts';
import { termsOf } from './parameters.ts';
import { asShown, type KnownObservation, type ReplayedSignal, replaySignal } from './replay-signal.ts';
import { BacktestCount, type CountedSignal, type Found } from './result.ts';

/** Which signals a backtest goes through, as far as they were known at an instant. */
export type BacktestFilter = SignalFilter & { readonly asOf: Date; readonly isPremium?: boolean | undefined };

/** A signal, and its highest revision that may have been known. */
export type BacktestSignal = CountedSignal &
  ReplayedSignal & {
    readonly rev: number;
    readonly token: SignalDetail['token'];
    readonly isPremium: boolean;
    readonly mcapEntry: number;
  };

/** Where a backtest reads what was known. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type BacktestHistory = {
  /** The number of signals; counting ends at `most`. */
  count(filter: BacktestFilter, most: number): Promise<number>;
  /** All signals, newest first. */
  signals(filter: BacktestFilter): Promise<readonly BacktestSignal[]>;
  /** The observations of a signal that were known at an instant, in order of revisions. */
  observations(signal: BacktestSignal, asOf: Date): Promise<readonly KnownObservation[]>;
};

/** The signals that a backtest goes through. */
export function filterOf({ filters, as_of }: BacktestParameters): BacktestFilter {
  return {
    asOf: new Date(as_of),
    types: filters.types,
    isPremium: filters.is_premium ?? undefined,
    createdAfter: new Date(filters.since),
    createdUntil: new Date(filters.until),
  };
}

/**
 * Computes a backtest.
 * @param hourlyBefore the instant before which the history was thinned to one observation an hour; called when everything
 * is read.
 * @param progress is called after each signal with the number of signals so far. What it throws ends the work.
 */
export async function runBacktest(
  history: BacktestHistory,
  parameters: BacktestParameters,
  {
    hourlyBefore,
    progress,
  }: { readonly hourlyBefore: () => Date; readonly progress: (done: number) => Promise<void> },
): Promise<Found> {
  const filter = filterOf(parameters);
  const strategy = { terms: termsOf(parameters), filters: parameters.filters };
  const count = new BacktestCount(parameters);
  const meets = parameters.filter && matcherOfFilter(parameters.filter, creationConditionFields);
  const signals = await history.signals(filter);
  // One after another: several at once would be a little quicker, and hold up other requests much longer (ADR 47).
  for (const [n, signal] of signals.entries()) {
    const observations = await history.observations(signal, filter.asOf);
    const isWanted = meets?.(asCreated(signal, observations)) ?? true;
    count.add(signal, isWanted ? replaySignal(strategy, signal, observations) : { kind: 'filtered' });
    await progress(n + 1);
  }
  return count.found(hourlyBefore());
}

/**
 * What conditions see of a signal: how it was when it was created. Its figures are missing where another revision was known
 * before that one.
 */
function asCreated(signal: BacktestSignal, observations: readonly KnownObservation[]): object {
  const [first] = asShown(observations);
  return {
    id: signal.id,
    token: signal.token,
    metrics: { mcap_entry: signal.mcapEntry, ...(first?.isFirst && figuresOf(first)) },
    type: signal.type,
    is_premium: signal.isPremium,
    created_at: signal.createdAt.toISOString(),
  };
}

function figuresOf({ mcap, liquidity, volume, holders }: KnownObservation) {
  return { mcap_current: mcap, liquidity, volume_24h: volume, holders };
}
