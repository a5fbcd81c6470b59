import type { BacktestParameters } from '@sigcast/contracts';
import { buy, follow, sell, type Trade, type TradeTerms } from '../position/trade.ts';

/** The fields of an observation that a backtest needs. Amounts are US dollars. */
export type KnownObservation = {
  /** When the figures were observed, and since when they were known. */
  readonly at: Date;
  readonly knownAt: Date;
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume: number;
  readonly holders: number;
  /** Whether the figures are those with which the signal was created; absent if not. */
  readonly isFirst?: boolean;
};

/** A signal, and since when it was known as dead or rugged. */
export type ReplayedSignal = { readonly createdAt: Date; readonly overAt?: Date | undefined };

/** When a signal is bought and sold, and which signals are bought at all. */
type Strategy = { readonly terms: TradeTerms; readonly filters: BacktestParameters['filters'] };

/** When a result was known, Unix milliseconds, and the result in hundredths of a percent, an integer. */
export type KnownResult = { readonly at: number; readonly hundredths: number };

/** What became of a signal: a trade, with its result after each change, or none. */
export type Outcome =
  | { readonly kind: 'no_entry' | 'filtered' }
  | {
      readonly kind: 'trade';
      readonly trade: Trade;
      /** The results from the purchase on, the last one being that of the trade. */
      readonly results: readonly KnownResult[];
    };

/**
 * The observations that were shown at some instant as the newest known ones, in the order in which they became known.
 * Events may arrive in another order than that of revisions. A revision that became known after a higher one, or at the same
 * instant, was never shown.
 * @param observations of one signal, in order of revisions.
 */
export function asShown<T extends { readonly knownAt: Date }>(observations: readonly T[]): readonly T[] {
  let higherMs = Number.POSITIVE_INFINITY;
  return observations
    .toReversed()
    .filter(({ knownAt }) => {
      const isShown = knownAt.getTime() < higherMs;
      if (isShown) higherMs = knownAt.getTime();
      return isShown;
    })
    .toReversed();
}

/**
 * Goes through what was known of a signal, and trades by it. All times are those at which something was known, so what
 * became known later changes no earlier trade or result. A revision without newer figures counts for the status alone.
 * @param observations of the signal, in order of revisions.
 */
export function replaySignal(
  { terms, filters }: Strategy,
  { createdAt, overAt }: ReplayedSignal,
  observations: readonly KnownObservation[],
): Outcome {
  const createdMs = createdAt.getTime();
  const results: KnownResult[] = [];
  let trade: Trade | undefined;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const observation of asShown(observations)) {
    const at = observation.knownAt.getTime();
    const isOver = overAt !== undefined && at >= overAt.getTime();
    const isNewer = observation.at.getTime() > newestMs;
    if (isNewer) newestMs = observation.at.getTime();
    if (trade !== undefined) {
      if (isNewer) trade = follow(terms, trade, { at, market: observation, isOver });
      else if (isOver) trade = sell(trade, 'end', at);
    } else {
      if (isOver || at > createdMs + terms.latestEntryMs) break;
      trade = isNewer ? buy(terms, createdMs, { at, market: observation }) : undefined;
      if (trade !== undefined && !passes(filters, observation)) return { kind: 'filtered' };
    }
    if (trade === undefined) continue;
    const hundredths = Math.round(trade.roi * 100);
    if (hundredths !== results.at(-1)?.hundredths) results.push({ at, hundredths });
    if (trade.exit) break;
  }
  return trade === undefined ? { kind: 'no_entry' } : { kind: 'trade', trade, results };
}

function passes(filters: BacktestParameters['filters'], observation: KnownObservation): boolean {
  const { mcap, liquidity, volume, holders } = observation;
  return (
    mcap >= (filters.min_mcap ?? 0) &&
    mcap <= (filters.max_mcap ?? Number.POSITIVE_INFINITY) &&
    liquidity >= (filters.min_liquidity ?? 0) &&
    volume >= (filters.min_volume_24h ?? 0) &&
    holders >= (filters.min_holders ?? 0)
  );
}
