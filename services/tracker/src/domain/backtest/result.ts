import {
  type BacktestParameters,
  type BacktestResult,
  type BacktestTrade,
  divideRounded,
  maxNamedTrades,
  type SignalType,
  type TradeFigures,
} from '@sigcast/contracts';
import { addTo, percentilesOf } from '@sigcast/statistics';
import { EquityCurve } from './equity-curve.ts';
import type { Outcome } from './replay-signal.ts';

const hourMs = 3_600_000;

/** A signal that a backtest goes through. */
export type CountedSignal = { readonly id: string; readonly symbol: string; readonly type: SignalType };

/** A trade with the signal that it was made with. */
type Named = CountedSignal & {
  readonly trade: Extract<Outcome, { kind: 'trade' }>['trade'];
  /** Hundredths of a percent. */
  readonly hundredths: number;
};

/** Sums over some trades; integers. `sum` is in hundredths of a percent. */
type Sums = { trades: number; sum: bigint; profitable: number };

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
  #best: readonly Named[] = [];
  #worst: readonly Named[] = [];

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
    sums.sum += BigInt(hundredths);
    sums.profitable += hundredths > 0 ? 1 : 0;
    addTo(this.#histogram, hundredths);
    this.#entered.push(enteredAt);
    if (exit) {
      this.#exited.push(exit.at);
      this.#heldMs += exit.at - enteredAt;
    }
    const { id, symbol, type } = signal;
    const named = { ...{ id, symbol, type }, trade, hundredths };
    this.#best = [...this.#best, named].sort(byResult).slice(0, maxNamedTrades);
    this.#worst = [...this.#worst, named].sort((a, b) => byResult(b, a)).slice(0, maxNamedTrades);
  }

  /** @param hourlyBefore the history has one observation an hour of times before. */
  result(hourlyBefore: Date): BacktestResult {
    const all = [...this.#byType.values()].reduce(together, noTrades());
    const { no_entry, filtered } = this.#notBought;
    const named = (trades: readonly Named[]) => trades.map((trade) => this.#named(trade));
    return {
      signals: all.trades + no_entry + filtered,
      not_bought: { no_entry, filtered },
      ...this.#figures(all),
      roi: percentilesOf([this.#histogram]),
      by_exit: { ...this.#byExit },
      by_type: Object.fromEntries([...this.#byType].map(([type, sums]) => [type, this.#figures(sums)])),
      avg_hours_held: mean(BigInt(this.#heldMs) * 100n, this.#exited.length * hourMs) / 100,
      max_open: mostAtOnce(this.#entered, this.#exited),
      max_drawdown_usd: this.#usd(this.#curve.drawdown()),
      ...{ best: named(this.#best), worst: named(this.#worst) },
      hourly_before: hourlyBefore.toISOString(),
      equity: this.#curve.points((hundredths) => this.#usd(hundredths)),
    };
  }

  #figures({ trades, sum, profitable }: Sums): TradeFigures {
    return {
      trades,
      profit_usd: this.#usd(Number(sum)),
      avg_roi: mean(sum, trades) / 100,
      profitable: mean(BigInt(profitable) * 10_000n, trades) / 100,
    };
  }

  #named({ id, symbol, type, trade, hundredths }: Named): BacktestTrade {
    const { enteredAt, exit } = trade;
    return {
      ...{ signal_id: id, symbol, type },
      entered_at: new Date(enteredAt).toISOString(),
      exited_at: exit ? new Date(exit.at).toISOString() : null,
      ...{ exit: exit?.kind ?? null, roi: hundredths / 100, profit_usd: this.#usd(hundredths) },
    };
  }

  /** The profit of a sum of results in hundredths of a percent, US dollars, two decimals. */
  #usd(hundredths: number): number {
    return Math.round((this.#parameters.size_usd * hundredths) / 100) / 100 + 0;
  }
}

function noTrades(): Sums {
  return { trades: 0, sum: 0n, profitable: 0 };
}

function together(one: Sums, other: Sums): Sums {
  return {
    trades: one.trades + other.trades,
    sum: one.sum + other.sum,
    profitable: one.profitable + other.profitable,
  };
}

/** 0 where there is nothing. */
function mean(sum: bigint, count: number): number {
  return count === 0 ? 0 : divideRounded(sum, BigInt(count));
}

/** The highest result first; of equal ones the lowest id. */
function byResult(one: Named, other: Named): number {
  return other.hundredths - one.hundredths || (one.id < other.id ? -1 : 1);
}

/** The most positions that were open at the same time. One that is closed makes room for one that is opened then. */
function mostAtOnce(entered: readonly number[], exited: readonly number[]): number {
  const exits = exited.toSorted((a, b) => a - b);
  let [closed, most] = [0, 0];
  for (const [opened, at] of entered.toSorted((a, b) => a - b).entries()) {
    while ((exits[closed] ?? Number.POSITIVE_INFINITY) <= at) closed++;
    most = Math.max(most, opened + 1 - closed);
  }
  return most;
}
