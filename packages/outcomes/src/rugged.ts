import type { Figures, Followed, Step } from './observation.ts';
import type { Limits } from './thresholds.ts';

export type RuggedState = {
  /**
   * Observations that are or may become the high: of the window, and always the newest one. Oldest first, each with less
   * liquidity than the one before it. Unix milliseconds and US dollars.
   */
  readonly highs: readonly High[];
  readonly collapse?: Collapse;
};

type High = readonly [at: number, liquidity: number];

/** Observations in a row with little liquidity left. */
type Collapse = {
  /** The liquidity that they are compared with: of the high, which was observed at `at`, or of the entry, without `at`. */
  readonly reference: { readonly at?: number; readonly liquidity: number };
  /** When they were made, oldest first, as many as a decision needs. Unix milliseconds. */
  readonly seen: readonly number[];
};

const minuteMs = 60_000;

/** Bounds the state: one high each 15 s of an hour. Beyond that, the one before the newest is left out. */
const maxHighs = 240;

/**
 * A rugged signal has lost nearly all of its liquidity within an hour, or between two observations, and the next
 * observations confirm it. One alone may be a mistake of the source, such as an answer without the token's largest pool.
 */
export function followRugged(
  limits: Limits<'rugged'>,
  state: RuggedState | undefined,
  { at, liquidity }: Figures,
): Step<RuggedState> {
  const { confirmations, window_minutes } = limits;
  const older = inWindow(state?.highs ?? [], at - window_minutes * minuteMs);
  const highs = withNewest(older, [at, liquidity]);
  const { reference, seen: before } = state?.collapse ?? {
    reference: referenceOf(older, limits),
    seen: [],
  };
  // An observation that does not confirm a collapse can't begin another one: since the collapse began, no liquidity was
  // above the reference, except liquidity below the minimum.
  if (!isCollapse(limits, { reference, liquidity })) return { state: { highs } };
  const seen = [...before, at].slice(-confirmations);
  const high = reference.at === undefined ? [] : [reference.at];
  return {
    state: { highs, collapse: { reference, seen } },
    ...(seen.length === confirmations && { basis: [...high, ...seen] }),
  };
}

function isCollapse(
  { remaining_share, min_liquidity_usd, liquidityEntry }: Limits<'rugged'>,
  { reference, liquidity }: { readonly reference: Collapse['reference']; readonly liquidity: number },
): boolean {
  const hasFallen = reference.liquidity > 0 && liquidity <= remaining_share * reference.liquidity;
  return hasFallen || (liquidityEntry >= min_liquidity_usd && liquidity < min_liquidity_usd);
}

/** The highs since `from`, and the newest one however old. */
function inWindow(highs: readonly High[], from: number): readonly High[] {
  const first = highs.findIndex(([at]) => at >= from);
  return highs.slice(first === -1 ? -1 : first);
}

/** Lower ones are left out: they can't be the high any more. Of equal ones, the newest counts. */
function withNewest(highs: readonly High[], newest: High): readonly High[] {
  const higher = highs.filter(([, liquidity]) => liquidity > newest[1]);
  return [...higher.slice(0, maxHighs - 1), newest];
}

function referenceOf([high]: readonly High[], { liquidityEntry }: Followed): Collapse['reference'] {
  return high === undefined ? { liquidity: liquidityEntry } : { at: high[0], liquidity: high[1] };
}
