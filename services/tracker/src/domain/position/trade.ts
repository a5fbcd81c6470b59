import { type ExitKind, roiHundredths } from '@sigcast/contracts';
import { bought, type Costs, sold } from './costs.ts';

/** When a signal is bought and sold, and at which costs. */
export type TradeTerms = Costs & {
  /** Milliseconds from the signal's creation to the earliest purchase, and to the latest one. */
  readonly delayMs: number;
  readonly latestEntryMs: number;
  /** The longest time from purchase to sale, in milliseconds. */
  readonly longestMs: number;
  /** Market caps at which it is sold, in multiples of the one at the purchase. Absent: never for that reason. */
  readonly target?: number | undefined;
  readonly stop?: number | undefined;
};

/** A purchase and what became of it: plain data of bounded size. Instants are Unix milliseconds. */
export type Trade = {
  readonly enteredAt: number;
  /** Market cap at entry, US dollars. */
  readonly mcap: number;
  /** Worth of the tokens at entry, US dollars. */
  readonly worth: number;
  /** Percent, two decimals: as if sold at the newest observation; after the exit, as sold. */
  readonly roi: number;
  /** What the newest observation touches. If the next one touches the same, the position is sold at that one. */
  readonly touched?: 'target' | 'stop';
  readonly exit?: { readonly kind: ExitKind; readonly at: number };
};

/** Market cap and liquidity at an instant, US dollars. */
export type Market = { readonly mcap: number; readonly liquidity: number };

/** Buys a signal at `at`, where terms and market allow it. @param createdMs when the signal was created. */
export function buy(
  terms: TradeTerms,
  createdMs: number,
  { at, market: { mcap, liquidity } }: { readonly at: number; readonly market: Market },
): Trade | undefined {
  const age = at - createdMs;
  const isBuyable = mcap > 0 && liquidity > 0 && age >= terms.delayMs && age <= terms.latestEntryMs;
  if (!isBuyable) return undefined;
  const worth = bought(terms, liquidity);
  return { enteredAt: at, mcap, worth, roi: roiOf(terms, worth, liquidity) };
}

/**
 * A trade after the next observation.
 * @param isOver whether the signal is dead or rugged with this observation.
 */
export function follow(
  terms: TradeTerms,
  trade: Trade,
  { at, market, isOver }: { readonly at: number; readonly market: Market; readonly isOver: boolean },
): Trade {
  const next = valued(terms, trade, market);
  if (next.touched !== undefined && next.touched === trade.touched) return sell(next, next.touched, at);
  return isOver || at >= trade.enteredAt + terms.longestMs ? sell(next, 'end', at) : next;
}

/** The trade, sold with the result that it has. */
export function sell({ touched: _touched, ...trade }: Trade, kind: ExitKind, at: number): Trade {
  return { ...trade, exit: { kind, at } };
}

function valued(terms: TradeTerms, { enteredAt, mcap: entry, worth }: Trade, market: Market): Trade {
  const { mcap, liquidity } = market;
  const { target = Number.POSITIVE_INFINITY, stop = Number.NEGATIVE_INFINITY } = terms;
  const roi = roiOf(terms, worth * (mcap / entry), liquidity);
  const touched = mcap >= target * entry ? 'target' : mcap <= stop * entry ? 'stop' : undefined;
  return { enteredAt, mcap: entry, worth, roi, ...(touched && { touched }) };
}

function roiOf(terms: TradeTerms, worth: number, liquidity: number): number {
  return roiHundredths(terms.sizeUsd, sold(terms, worth, liquidity)) / 100;
}
