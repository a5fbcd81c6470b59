import type { Realizable } from '@sigcast/contracts';
import type { Followed, MarketObservation } from '@sigcast/outcomes';
import { buy, follow, sell, type Trade, type TradeTerms } from './trade.ts';

/** The version of the rule. Another rule, and other terms, get another version. */
const version = 'v1';

const minuteMs = 60_000;

/** The terms of `v1`. They are also the defaults of a backtest (`createBacktestSchema`). */
export const termsOfV1: TradeTerms = {
  // A subscriber needs time to act on a signal.
  delayMs: minuteMs,
  // A later entry would be another trade than the one that the signal was about.
  latestEntryMs: 60 * minuteMs,
  // Most of what happens to a signal happens in its first days; later it is observed each hour only.
  longestMs: 7 * 24 * 60 * minuteMs,
  // The target is that of `winner`; one target pays for two stops.
  target: 2,
  stop: 0.5,
  // Small, so that the order hardly moves the market, and large enough that price impact shows which markets are thin.
  sizeUsd: 100,
  // Pools of such tokens take up to 1 %, and network fees weigh most on small orders.
  feeShare: 0.01,
  hasPriceImpact: true,
};

/** What the rule knows of a signal: plain data of bounded size, as it is stored. Instants are Unix milliseconds. */
export type Position = {
  /** The version of the rule that it was made by. */
  readonly rule: typeof version;
  /** When the newest observation that counts was made. */
  readonly newest: number;
  /** Absent before the entry, and for good where the time for it is over. */
  readonly held?: Trade;
};

/**
 * Applies the exit rule `v1` to the next observation of a signal. Times are those of observations, never of clocks. An
 * observation that is not newer than the last one that counted changes nothing, and nothing changes after the exit. An
 * observation without a market counts only where it ends the signal.
 *
 * @param stored what the last call returned for this signal, as a store kept it; undefined before the first call.
 * @param isOver whether this observation decides that the signal is dead or rugged, and so is not followed further.
 */
export function followPosition(
  { createdAt }: Pick<Followed, 'createdAt'>,
  stored: unknown,
  { observation, isOver }: { readonly observation: MarketObservation; readonly isOver: boolean },
): Position {
  const createdMs = createdAt.getTime();
  const before = readPosition(stored) ?? { rule: version, newest: createdMs };
  const { newest, held } = before;
  const at = observation.observedAt.getTime();
  if (at <= newest || held?.exit) return before;
  if (observation.kind === 'absent') {
    return held && isOver ? { ...before, held: sell(held, 'end', newest) } : before;
  }
  if (held) {
    return { rule: version, newest: at, held: follow(termsOfV1, held, { at, market: observation, isOver }) };
  }
  const entered = buy(termsOfV1, createdMs, { at, market: observation });
  const next = entered && isOver ? sell(entered, 'end', at) : entered;
  return { rule: version, newest: at, ...(next && { held: next }) };
}

/** What is published of a position; undefined where there is none. */
export function realizableOf({ rule, held }: Position): Realizable | undefined {
  if (held === undefined) return undefined;
  const { enteredAt, roi, exit } = held;
  return {
    rule,
    roi,
    entered_at: new Date(enteredAt).toISOString(),
    exited_at: exit ? new Date(exit.at).toISOString() : null,
    exit: exit?.kind ?? null,
  };
}

/** A position as it was stored. One of another version is not known. */
function readPosition(stored: unknown): Position | undefined {
  const position = stored as Position | undefined;
  return position?.rule === version ? position : undefined;
}
