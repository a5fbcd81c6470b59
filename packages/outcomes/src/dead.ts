import type { Figures, Step } from './observation.ts';
import type { Limits, Thresholds } from './thresholds.ts';

/** The newest of the low observations in a row, oldest first, as many as a decision needs. Unix milliseconds. */
export type LowState = { readonly low: readonly number[] };

/** The first of the silent observations in a row. Unix milliseconds. */
export type SilentState = { readonly since: number };

const hourMs = 3_600_000;

/** A dead signal's market cap is below a small share of the entry's, at several observations in a row. */
export function followLow(
  { share, confirmations, mcapEntry }: Limits<'dead'>,
  state: LowState | undefined,
  { at, mcap }: Figures,
): Step<LowState> {
  if (mcap >= share * mcapEntry) return {};
  const low = [...(state?.low ?? []), at].slice(-confirmations);
  return { state: { low }, ...(low.length === confirmations && { basis: low }) };
}

/**
 * A dead signal's token is not traded for days: each observation has no volume, or there is no market.
 * @param at when the observation was made, Unix milliseconds. @param isSilent whether it shows no trade.
 */
export function followSilence(
  { silent_hours }: Thresholds['dead'],
  state: SilentState | undefined,
  { at, isSilent }: { readonly at: number; readonly isSilent: boolean },
): Step<SilentState> {
  if (!isSilent) return {};
  if (state === undefined) return { state: { since: at } };
  const isLong = at - state.since >= silent_hours * hourMs;
  return { state, ...(isLong && { basis: [state.since, at] }) };
}
