import {
  type BacktestParameters,
  type BacktestResult,
  type BacktestTrade,
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

/** A trade, and the signal that was bought. */
type NamedTrade = CountedSignal & {
  readonly trade: Extract<Outcome, { kind: 'trade' }>['trade'];
  /** Hundredths of a percent. */
  readonly hundredths: number;
};

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
  #heldMs = 0;
  #best: readonly NamedTrade[] = [];
  #worst: readonly NamedTrade[] = [];

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
    }
    const { id, symbol, type } = signal;
    const named = { id, symbol, type, trade, hundredths };
    this.#best = [...this.#best, named].sort(byResult).slice(0, maxNamedTrades);
    this.#worst = [...this.#worst, named].sort((a, b) => byResult(b, a)).slice(0, maxNamedTrades);
  }

  /** @param hourlyBefore the history was thinned to one observation an hour before this instant. */
  result(hourlyBefore: Date): BacktestResult {
    const all = [...this.#byType.values()].reduce(together, noTrades());
    const { no_entry, filtered } = this.#notBought;
    const named = (trades: readonly NamedTrade[]) => trades.map((trade) => this.#named(trade));
    return {
      signals: all.trades + no_entry + filtered,
      not_bought: { no_entry, filtered },
      ...this.#figures(all),
      roi: percentilesOf([this.#histogram]),
      by_exit: { ...this.#byExit },
      by_type: Object.fromEntries([...this.#byType].map(([type, sums]) => [type, this.#figures(sums)])),
      avg_hours_held: meanOf(BigInt(this.#heldMs) * 100n, this.#exited.length * hourMs),
      max_open: mostAtOnce(this.#entered, this.#exited),
      max_drawdown_usd: this.#usd(this.#curve.drawdown()),
      best: named(this.#best),
      worst: named(this.#worst),
      hourly_before: hourlyBefore.toISOString(),
      equity: this.#curve.points((hundredths) => this.#usd(hundredths)),
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

  #named({ id, symbol, type, trade, hundredths }: NamedTrade): BacktestTrade {
    const { enteredAt, exit } = trade;
    return {
      signal_id: id,
      symbol,
      type,
      entered_at: new Date(enteredAt).toISOString(),
      exited_at: exit ? new Date(exit.at).toISOString() : null,
      exit: exit?.kind ?? null,
      roi: hundredths / 100,
      profit_usd: this.#usd(hundredths),
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

/** The highest result first; of equal ones the lowest id. */
function byResult(one: NamedTrade, other: NamedTrade): number {
  return other.hundredths - one.hundredths || (one.id < other.id ? -1 : 1);
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
