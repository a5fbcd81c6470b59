import type { SignalType } from './signals.ts';
import type { Percentiles } from './statistics.ts';

/** Which signals a backtest buys. Figures are those that were known at the purchase. A condition that is null is as left out. */
export type BacktestFilters = {
  /** Signals created after this instant: a date, or ISO 8601 with a time zone. At most 400 days before `as_of`. */
  readonly since: Date | string;
  /** Signals created up to this instant, itself included; up to `as_of` where it is left out. */
  readonly until?: Date | string;
  /** Signals of these types; of all types where it is left out. */
  readonly types?: readonly SignalType[];
  /** Only premium signals, or only others. */
  readonly is_premium?: boolean | null;
  /** The lowest market cap, US dollars. */
  readonly min_mcap?: number | null;
  /** The highest market cap, US dollars. */
  readonly max_mcap?: number | null;
  /** The lowest liquidity, US dollars. */
  readonly min_liquidity?: number | null;
  /** The lowest volume of the 24 hours before, US dollars. */
  readonly min_volume_24h?: number | null;
  /** The lowest number of holders. */
  readonly min_holders?: number | null;
};

/** A strategy. What is left out is as in the exit rule `v1`. */
export type CreateBacktest = {
  readonly filters: BacktestFilters;
  /** Minutes from the signal's creation to the earliest purchase. Default: 1. */
  readonly delay_minutes?: number;
  /** What each purchase costs, US dollars, its fee included. Default: 100. */
  readonly size_usd?: number;
  /** Sells at so many times the market cap of the purchase, twice in a row. Default: 2; null for no target. */
  readonly target?: number | null;
  /** Sells at so many times the market cap of the purchase or less, twice in a row. Default: 0.5; null for no stop. */
  readonly stop?: number | null;
  /** Sells with the first figures after so many hours. Default: 168. */
  readonly hold_hours?: number;
  readonly costs?: {
    /** Percent of each trade, of the purchase and of the sale. Default: 1. */
    readonly fee_percent?: number;
    /** Whether a trade moves the price against itself, as in a constant-product pool. Default: true. */
    readonly price_impact?: boolean;
  };
  /** Nothing that was known later has a part in the result. Default: a minute ago, which is also the latest instant. */
  readonly as_of?: Date | string;
};

/** What a backtest computes: its request with everything that was left out. */
export type BacktestParameters = {
  readonly filters: {
    readonly since: string;
    readonly until: string;
    readonly types: readonly SignalType[];
    readonly is_premium: boolean | null;
    readonly min_mcap: number | null;
    readonly max_mcap: number | null;
    readonly min_liquidity: number | null;
    readonly min_volume_24h: number | null;
    readonly min_holders: number | null;
  };
  readonly delay_minutes: number;
  readonly size_usd: number;
  readonly target: number | null;
  readonly stop: number | null;
  readonly hold_hours: number;
  readonly costs: { readonly fee_percent: number; readonly price_impact: boolean };
  readonly as_of: string;
};

/** What the trades with some signals earned, after costs. Without trades all figures are 0. */
export type TradeFigures = {
  /** Signals that were bought. */
  readonly trades: number;
  /** US dollars; what is not sold counts as if sold with the newest figures. */
  readonly profit_usd: number;
  /** Mean result of a trade, percent. */
  readonly avg_roi: number;
  /** Percent of the trades with a result above 0. */
  readonly profitable: number;
};

/** A trade that a result names. */
export type BacktestTrade = {
  readonly signal_id: string;
  readonly symbol: string;
  readonly type: SignalType;
  /** When the figures were known that the signal was bought at. */
  readonly entered_at: string;
  /** When the figures were known that the signal was sold at; null while it is not sold. */
  readonly exited_at: string | null;
  /** Why the signal was sold: `target`, `stop`, or `end` of its time or of the token; null while it is not sold. */
  readonly exit: 'target' | 'stop' | 'end' | null;
  /** Percent after costs. */
  readonly roi: number;
  readonly profit_usd: number;
};

/** The figures of a finished backtest. */
export type BacktestSummary = TradeFigures & {
  /** Signals of the chosen time, types and kind (premium or not). */
  readonly signals: number;
  /** The signals without a trade. */
  readonly not_bought: {
    /** No figures with liquidity were known in the hour after the delay, or the token was known as dead or rugged. */
    readonly no_entry: number;
    /** The figures at the purchase were not as `filters` wants them. */
    readonly filtered: number;
  };
  /** Percentiles of the results of the trades. */
  readonly roi: Percentiles;
  /** Trades by how they ended; `open`: not sold. */
  readonly by_exit: {
    readonly open: number;
    readonly target: number;
    readonly stop: number;
    readonly end: number;
  };
  /** All chosen types. */
  readonly by_type: { readonly [Type in SignalType]?: TradeFigures };
  /** Mean time from purchase to sale, hours, of sold ones. */
  readonly avg_hours_held: number;
  /** The most positions at the same time. Times `size_usd`: the capital that was needed. */
  readonly max_open: number;
  /** The largest fall of the profit from an earlier high, US dollars, by full hours. */
  readonly max_drawdown_usd: number;
  /** At most five trades each: those with the highest and with the lowest results. */
  readonly best: readonly BacktestTrade[];
  readonly worst: readonly BacktestTrade[];
  /** Of times before this instant, the history has one observation an hour, and those that mattered. */
  readonly hourly_before: string;
};

/** The result of a finished backtest. */
export type BacktestResult = BacktestSummary & {
  /** The profit over time, oldest first, at most some hundred points. */
  readonly equity: {
    readonly interval: 'hour' | 'day';
    readonly points: readonly {
      readonly at: string;
      /** All trades together up to then, US dollars; what was not sold, as if sold then. */
      readonly profit_usd: number;
      /** Positions that were not sold then. */
      readonly open: number;
    }[];
  };
};

export type BacktestStatus = 'queued' | 'running' | 'completed' | 'failed';

/** A backtest in a list: its result is without the equity curve. */
export type BacktestListItem = {
  readonly id: string;
  /** `queued` and `running` change by themselves; `completed` has a result, `failed` an error. */
  readonly status: BacktestStatus;
  /** Signals that were gone through, of those to go through. */
  readonly progress: { readonly done: number; readonly total: number };
  readonly parameters: BacktestParameters;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
  readonly created_at: string;
  /** Null while it is not finished. */
  readonly finished_at: string | null;
  /** Null before `status` is `completed`. */
  readonly result: BacktestSummary | null;
};

/** A strategy that is tried on signals of the past. */
export type Backtest = Omit<BacktestListItem, 'result'> & {
  /** Null before `status` is `completed`. */
  readonly result: BacktestResult | null;
};

/** A backtest that has its result. */
export type CompletedBacktest = Backtest & { readonly status: 'completed'; readonly result: BacktestResult };

/** A backtest that was waited for has failed. `backtest.error` says why. */
export class BacktestFailedError extends Error {
  override readonly name = 'BacktestFailedError';
  readonly backtest: Backtest;

  constructor(backtest: Backtest) {
    super(`The backtest ${backtest.id} failed: ${backtest.error ?? 'no reason is known'}`);
    this.backtest = backtest;
  }
}
