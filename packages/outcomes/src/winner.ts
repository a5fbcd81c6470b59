import type { Figures, Step } from './observation.ts';
import type { Limits } from './thresholds.ts';

/** The first of the high observations in a row, up to the newest one. Unix milliseconds. */
export type WinnerState = { readonly since: number };

const minuteMs = 60_000;

/**
 * A winner's market cap stays at a multiple of the entry's, or above, for some minutes, with enough liquidity to sell at
 * that price. One high observation alone is a spike, or a mistake of the source.
 */
export function followWinner(
  { multiple, sustained_minutes, min_liquidity_usd, mcapEntry }: Limits<'winner'>,
  state: WinnerState | undefined,
  { at, mcap, liquidity }: Figures,
): Step<WinnerState> {
  const isHigh = mcap >= multiple * mcapEntry && liquidity >= min_liquidity_usd;
  if (!isHigh) return {};
  if (state === undefined) return { state: { since: at } };
  const isSustained = at - state.since >= sustained_minutes * minuteMs;
  return { state, ...(isSustained && { basis: [state.since, at] }) };
}
