import {
  type BacktestParameters,
  type BacktestResult,
  type BacktestTrade,
  maxHistogramBars,
  maxNamedTrades,
  type SignalType,
  type TradeFigures,
} from '@sigcast/contracts';
import { addTo, meanOf, percentilesOf, percentOf } from '@sigcast/statistics';
import { EquityCurve } from './equity-curve.ts';
import type { Outcome } from './replay-signal.ts';

const hourMs = 3_600_000;

/** A signal that a backtest goes through. */
export type CountedSignal = { readonly id: string; readonly symbol: string; readonly type: SignalType };

/** What a backtest has found: its result, and all its trades, the newest purchase first. */
export type Found = { readonly result: BacktestResult; readonly trades: readonly BacktestTrade[] };

/** Sums over some trades; integers. `roiSum` is in hundredths of a percent. */
type Sums = { trades: number; roiSum: bigint; profitable: number };

/** Adds up what became of signals, one by one, in whatever order. */
export class BacktestCount {
  readonly #parameters: BacktestParameters;
  readonly #curve: EquityCurve;
  readonly #notBought = { no_entry: 0, filtered: 0 };
  readonly #byExit = { open: 0, target: 0, stop: 0, end: 0 };
  readonly #byType: Map<SignalType, Sums>;
  readonly #histogram = new Map<number, number>();
  /** When positions were opened and closed, Unix milliseconds. */
  readonly #entered: number[] = [];
  readonly #exited: number[] = [];
  readonly #trades: BacktestTrade[] = [];
  #heldMs = 0;
  /** Of sold trades, hundredths of a percent. */
  #realized = 0n;

  constructor(parameters: BacktestParameters) {
    this.#parameters = parameters;
    const { filters, as_of } = parameters;
    this.#curve = new EquityCurve(new Date(filters.since), new Date(as_of));
    this.#byType = new Map(filters.types.map((type) => [type, noTrades()]));
  }

  add(signal: CountedSignal, outcome: Outcome): void {
    if (outcome.kind !== 'trade') {
      this.#notBought[outcome.kind] += 1;
      return;
    }
    const { trade, results } = outcome;
    const hundredths = results.at(-1)?.hundredths ?? 0;
    const { enteredAt, exit } = trade;
    this.#curve.add({ enteredAt, exitedAt: exit?.at, results });
    this.#byExit[exit?.kind ?? 'open'] += 1;
    const sums = this.#byType.get(signal.type) ?? noTrades();
    this.#byType.set(signal.type, sums);
    sums.trades += 1;
    sums.roiSum += BigInt(hundredths);
    sums.profitable += hundredths > 0 ? 1 : 0;
    addTo(this.#histogram, hundredths);
    this.#entered.push(enteredAt);
    if (exit) {
      this.#exited.push(exit.at);
      this.#heldMs += exit.at - enteredAt;
      this.#realized += BigInt(hundredths);
    }
    this.#trades.push({
      signal_id: signal.id,
      symbol: signal.symbol,
      type: signal.type,
      entered_at: new Date(enteredAt).toISOString(),
      exited_at: exit ? new Date(exit.at).toISOString() : null,
      exit: exit?.kind ?? null,
      roi: hundredths / 100,
      profit_usd: this.#usd(hundredths),
    });
  }

  /** @param hourlyBefore the history was thinned to one observation an hour before this instant. */
  found(hourlyBefore: Date): Found {
    const trades = this.#trades.toSorted(byPurchase);
    return { result: this.#result(hourlyBefore, trades.toSorted(byResult)), trades };
  }

  /** @param trades the highest result first. */
  #result(hourlyBefore: Date, trades: readonly BacktestTrade[]): BacktestResult {
    const all = [...this.#byType.values()].reduce(together, noTrades());
    const { no_entry, filtered } = this.#notBought;
    const equity = this.#curve.points((hundredths) => this.#usd(hundredths));
    return {
      signals: all.trades + no_entry + filtered,
      not_bought: { no_entry, filtered },
      ...this.#figures(all),
      realized_usd: this.#usd(Number(this.#realized)),
      roi: percentilesOf([this.#histogram]),
      by_exit: { ...this.#byExit },
      by_type: Object.fromEntries([...this.#byType].map(([type, sums]) => [type, this.#figures(sums)])),
      avg_hours_held: meanOf(BigInt(this.#heldMs) * 100n, this.#exited.length * hourMs),
      max_open: mostAtOnce(this.#entered, this.#exited),
      max_drawdown_usd: Math.max(0, ...equity.points.map((point) => point.drawdown_usd)),
      best: trades.slice(0, maxNamedTrades),
      worst: trades.slice(-maxNamedTrades).reverse(),
      hourly_before: hourlyBefore.toISOString(),
      histogram: barsOf(trades),
      equity,
    };
  }

  #figures({ trades, roiSum, profitable }: Sums): TradeFigures {
    return {
      trades,
      profit_usd: this.#usd(Number(roiSum)),
      avg_roi: meanOf(roiSum, trades),
      profitable: percentOf(profitable, trades),
    };
  }

  /** The profit of a sum of results in hundredths of a percent: US dollars, two decimals. Adding 0 makes 0 of −0. */
  #usd(hundredths: number): number {
    return Math.round((this.#parameters.size_usd * hundredths) / 100) / 100 + 0;
  }
}

function noTrades(): Sums {
  return { trades: 0, roiSum: 0n, profitable: 0 };
}

function together(one: Sums, other: Sums): Sums {
  return {
    trades: one.trades + other.trades,
    roiSum: one.roiSum + other.roiSum,
    profitable: one.profitable + other.profitable,
  };
}

/** The newest purchase first; of several at one instant the lowest id. */
function byPurchase(one: BacktestTrade, other: BacktestTrade): number {
  if (one.entered_at !== other.entered_at) return one.entered_at > other.entered_at ? -1 : 1;
  return one.signal_id < other.signal_id ? -1 : 1;
}

/** The highest result first; of equal ones the lowest id. */
function byResult(one: BacktestTrade, other: BacktestTrade): number {
  return other.roi - one.roi || (one.signal_id < other.signal_id ? -1 : 1);
}

/** The results that the bars are made for, from the lowest: what is far above them would make all others one bar. */
const drawnShare = 0.95;

/** How wide a bar may be, percent: 5, 10, 20, 50, 100, … */
const widths = Array.from({ length: 40 }, (_, n) => ([5, 10, 20][n % 3] ?? 5) * 10 ** Math.floor(n / 3));

/**
 * The bars of the histogram, as narrow as {@link maxHistogramBars} allow.
 * @param trades the highest result first.
 */
function barsOf(trades: readonly BacktestTrade[]): BacktestResult['histogram'] {
  const rois = trades.map(({ roi }) => roi).reverse();
  const [lowest, highest] = [rois[0], rois.at(-1)];
  const high = rois[Math.ceil(drawnShare * rois.length) - 1];
  if (lowest === undefined || highest === undefined || high === undefined) return [];
  const fits = (width: number) => Math.floor(high / width) - Math.floor(lowest / width) < maxHistogramBars;
  const width = widths.find(fits) ?? Number.POSITIVE_INFINITY;
  const barOf = (roi: number) => Math.floor(roi / width);
  const first = barOf(lowest);
  const last = Math.min(barOf(highest), first + maxHistogramBars - 1);
  const counts = new Array<number>(last - first + 1).fill(0);
  for (const roi of rois) {
    const bar = Math.min(barOf(roi), last) - first;
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return counts.map((trades, n) => {
    const from = (first + n) * width + 0;
    return { from, to: first + n === last && barOf(highest) > last ? null : from + width, trades };
  });
}

/** The most positions that were open at the same time. A position that is closed at an instant is not open at that instant. */
function mostAtOnce(entered: readonly number[], exited: readonly number[]): number {
  const exits = exited.toSorted((a, b) => a - b);
  let [closed, most] = [0, 0];
  for (const [opened, at] of entered.toSorted((a, b) => a - b).entries()) {
    while ((exits[closed] ?? Number.POSITIVE_INFINITY) <= at) closed++;
    most = Math.max(most, opened + 1 - closed);
  }
  return most;
}
