import { type ExitKind, type Realizable, roiHundredths } from '@sigcast/contracts';
import type { Followed, MarketObservation } from '../rules/observation.ts';
import { bought, orderUsd, sold } from './costs.ts';

/** The version of the rule. Another rule, and other constants than those here and in costs.ts, get another version. */
const version = 'v1';

const minuteMs = 60_000;

/** A subscriber needs time to act on a signal. */
const delayMs = minuteMs;
/** A later entry would be another trade than the one that the signal was about. */
const latestEntryMs = 60 * minuteMs;
/** Most of what happens to a signal happens in its first days; later it is observed each hour only. */
const longestMs = 7 * 24 * 60 * minuteMs;

/** Market caps in multiples of the one at entry. The target is that of `winner`; one target pays for two stops. */
const target = 2;
const stop = 0.5;

/** What the rule knows of a signal: plain data of bounded size, as it is stored. Instants are Unix milliseconds. */
export type Position = {
  /** The version of the rule that it was made by. */
  readonly rule: typeof version;
  /** When the newest observation that counts was made. */
  readonly newest: number;
  /** Absent before the entry, and for good where the time for it is over. */
  readonly held?: Held;
};

type Held = {
  readonly enteredAt: number;
  /** Market cap at entry, US dollars. */
  readonly mcap: number;
  /** Worth of the tokens at entry, US dollars. */
  readonly worth: number;
  /** Percent, two decimals: as if sold at the newest observation; after the exit, as sold. */
  readonly roi: number;
  /** What the newest observation touches. The exit follows if the next one does so, too. */
  readonly touched?: 'target' | 'stop';
  readonly exit?: { readonly kind: ExitKind; readonly at: number };
};

/**
 * Applies the exit rule `v1` to the next observation of a signal. Times are those of observations, never of clocks. An
 * observation that is not newer than the last one that counted changes nothing, and nothing changes after the exit. An
 * observation without a market counts only where it ends the signal.
 *
 * @param stored what the call before returned for this signal, as a store kept it; undefined before the first one.
 * @param isOver whether this observation decides that the signal is dead or rugged, and so is not followed further.
 */
export function followPosition(
  { createdAt }: Pick<Followed, 'createdAt'>,
  stored: unknown,
  observation: MarketObservation,
  isOver: boolean,
): Position {
  const createdMs = createdAt.getTime();
  const before = readPosition(stored) ?? { rule: version, newest: createdMs };
  const { newest, held } = before;
  const at = observation.observedAt.getTime();
  if (at <= newest || held?.exit) return before;
  if (observation.kind === 'absent') {
    return held && isOver ? { ...before, held: sell(held, 'end', newest) } : before;
  }
  const next = held ? valued(held, observation) : entered(createdMs, observation);
  const kind = next && exitKind(next, held?.touched, at, isOver);
  return { rule: version, newest: at, ...(next && { held: kind ? sell(next, kind, at) : next }) };
}

/** What is published of a position; undefined where there is none. */
export function realizableOf({ rule, held }: Position): Realizable | undefined {
  if (held === undefined) return undefined;
  const { enteredAt, roi, exit } = held;
  return {
    ...{ rule, roi, entered_at: new Date(enteredAt).toISOString() },
    ...{ exited_at: exit ? new Date(exit.at).toISOString() : null, exit: exit?.kind ?? null },
  };
}

/** A position as it was stored. One of another version is not known. */
function readPosition(stored: unknown): Position | undefined {
  const position = stored as Position | undefined;
  return position?.rule === version ? position : undefined;
}

type Market = MarketObservation & { readonly kind: 'market' };

function entered(createdMs: number, { observedAt, mcap, liquidity }: Market): Held | undefined {
  const enteredAt = observedAt.getTime();
  const age = enteredAt - createdMs;
  const isBuyable = mcap > 0 && liquidity > 0 && age >= delayMs && age <= latestEntryMs;
  if (!isBuyable) return undefined;
  const worth = bought(liquidity);
  return { ...{ enteredAt, mcap, worth }, roi: roiOf(worth, liquidity) };
}

/** The position as of another observation. */
function valued({ enteredAt, mcap: entry, worth }: Held, { mcap, liquidity }: Market): Held {
  const roi = roiOf(worth * (mcap / entry), liquidity);
  const touched = mcap >= target * entry ? 'target' : mcap <= stop * entry ? 'stop' : undefined;
  return { ...{ enteredAt, mcap: entry, worth, roi }, ...(touched && { touched }) };
}

function roiOf(worth: number, liquidity: number): number {
  return roiHundredths(orderUsd, sold(worth, liquidity)) / 100;
}

function exitKind(
  { enteredAt, touched }: Held,
  touchedBefore: Held['touched'],
  at: number,
  isOver: boolean,
): ExitKind | undefined {
  if (touched !== undefined && touched === touchedBefore) return touched;
  return isOver || at >= enteredAt + longestMs ? 'end' : undefined;
}

function sell({ touched: _touched, ...held }: Held, kind: ExitKind, at: number): Held {
  return { ...held, exit: { kind, at } };
}
