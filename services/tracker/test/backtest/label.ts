import type { BacktestParameters, ExitKind } from '@sigcast/contracts';

/** What was shown of a signal at an instant. Amounts are US dollars. */
export type Shown = {
  /** Since when it was shown, and when the figures were observed, Unix milliseconds. */
  readonly t: number;
  readonly observed: number;
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume: number;
  readonly holders: number;
  readonly isOver: boolean;
};

/** What a backtest should make of a signal. Results are percent, not rounded. */
export type Labelled =
  | { readonly kind: 'no_entry' | 'filtered' }
  | {
      readonly kind: 'trade';
      readonly enteredAt: number;
      readonly exit: { readonly kind: ExitKind; readonly at: number } | undefined;
      /** The result as of an instant; undefined before the purchase. */
      readonly roiAt: (t: number) => number | undefined;
    };

const minuteMs = 60_000;

/** A second implementation of a backtest's trade, which sees at once all that was shown of a signal. */
export function labelTrade(
  parameters: BacktestParameters,
  createdMs: number,
  shown: readonly Shown[],
): Labelled {
  const { filters, delay_minutes, size_usd, target, stop, hold_hours, costs } = parameters;
  const overAt = shown.find(({ isOver }) => isOver)?.t ?? Number.POSITIVE_INFINITY;
  const fresh = shown.filter(({ observed }, n) =>
    shown.slice(0, n).every((earlier) => earlier.observed < observed),
  );
  const from = createdMs + delay_minutes * minuteMs;
  const entry = fresh.find(
    ({ t, mcap, liquidity }) =>
      t >= from && t <= from + 60 * minuteMs && t < overAt && mcap > 0 && liquidity > 0,
  );
  if (entry === undefined) return { kind: 'no_entry' };
  const atLeast = (value: number, least: number | null) => least === null || value >= least;
  const isWanted =
    atLeast(entry.mcap, filters.min_mcap) &&
    (filters.max_mcap === null || entry.mcap <= filters.max_mcap) &&
    atLeast(entry.liquidity, filters.min_liquidity) &&
    atLeast(entry.volume, filters.min_volume_24h) &&
    atLeast(entry.holders, filters.min_holders);
  if (!isWanted) return { kind: 'filtered' };

  const kept = 1 - costs.fee_percent / 100;
  const trade = (amount: number, liquidity: number) => {
    if (liquidity === 0) return 0;
    return costs.price_impact ? ((liquidity / 2) * amount) / (liquidity / 2 + amount) : amount;
  };
  const tokens = trade(size_usd * kept, entry.liquidity) / entry.mcap;
  const roi = (at: Shown) => ((trade(tokens * at.mcap, at.liquidity) * kept) / size_usd - 1) * 100;
  const touch = ({ mcap }: Shown) => {
    if (target !== null && mcap / entry.mcap >= target) return 'target';
    return stop !== null && mcap / entry.mcap <= stop ? 'stop' : undefined;
  };
  const later = fresh.slice(fresh.indexOf(entry) + 1);
  const exits: { kind: ExitKind; at: number }[] = [];
  for (const [n, each] of later.entries()) {
    const [now, before] = [touch(each), later[n - 1]];
    if (now !== undefined && before !== undefined && touch(before) === now)
      exits.push({ kind: now, at: each.t });
    if (each.t - entry.t >= hold_hours * 60 * minuteMs) exits.push({ kind: 'end', at: each.t });
  }
  if (overAt < Number.POSITIVE_INFINITY) exits.push({ kind: 'end', at: overAt });
  const exit = exits.toSorted((a, b) => a.at - b.at)[0];
  const valued = [entry, ...later].filter(({ t }) => exit === undefined || t <= exit.at);
  return {
    kind: 'trade',
    enteredAt: entry.t,
    exit,
    roiAt: (t) => {
      const newest = valued.findLast((each) => each.t <= t);
      return newest && roi(newest);
    },
  };
}
