import type { SignalType } from './signals.ts';
import type { Percentiles } from './statistics.ts';

/** Which signals a backtest buys, by the figures known at the purchase. A condition of null does not filter. */
export type BacktestFilters = {
  /** Signals created after this instant: a date, or ISO 8601 with a time zone. At most 400 days before `as_of`. */
  readonly since: Date | string;
  /** Signals created up to and including this instant. Default: `as_of`. */
  readonly until?: Date | string;
  /** Signals of these types. Default: all types. */
  readonly types?: readonly SignalType[];
  /** True: only premium signals; false: only others. Default: both. */
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

/** A strategy. Defaults are those of the exit rule `v1`. */
export type CreateBacktest = {
  readonly filters: BacktestFilters;
  /** Minutes from the signal's creation to the earliest purchase. Default: 1. */
  readonly delay_minutes?: number;
  /** What each purchase costs, fee included, US dollars. Default: 100. */
  readonly size_usd?: number;
  /** Sells when the market cap is this multiple of the purchase's, or more, twice in a row. Default: 2; null: no target. */
  readonly target?: number | null;
  /** Sells when the market cap is this multiple of the purchase's, or less, twice in a row. Default: 0.5; null: no stop. */
  readonly stop?: number | null;
  /** Sells with the first figures after this many hours. Default: 168. */
  readonly hold_hours?: number;
  readonly costs?: {
    /** The fee of the purchase and of the sale, percent of each. Default: 1. */
    readonly fee_percent?: number;
    /** Whether a trade moves the price against itself, as in a constant-product pool. Default: true. */
    readonly price_impact?: boolean;
  };
  /** The result uses nothing that became known later. Default, and latest instant: a minute ago. */
  readonly as_of?: Date | string;
};

/** What a backtest computes: its request, with defaults for what was left out. */
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
  /** US dollars. A position that is not sold counts as if sold with the newest figures. */
  readonly profit_usd: number;
  /** Mean result of a trade, percent. */
  readonly avg_roi: number;
  /** Percent of the trades with a result above 0. */
  readonly profitable: number;
};

/** One of the best or worst trades of a result. */
export type BacktestTrade = {
  readonly signal_id: string;
  readonly symbol: string;
  readonly type: SignalType;
  /** When the figures of the purchase became known. */
  readonly entered_at: string;
  /** When the figures of the sale became known; null while the signal is not sold. */
  readonly exited_at: string | null;
  /** Why the signal was sold: `target`, `stop`, or `end` of its time or of the token; null while the signal is not sold. */
  readonly exit: 'target' | 'stop' | 'end' | null;
  /** Percent after costs. */
  readonly roi: number;
  readonly profit_usd: number;
};

/** The figures of a finished backtest. */
export type BacktestSummary = TradeFigures & {
  /** Signals that `since`, `until`, `types` and `is_premium` select. */
  readonly signals: number;
  /** The signals without a trade. */
  readonly not_bought: {
    /** No figures with liquidity were known in the hour after the delay, or the token was known as dead or rugged. */
    readonly no_entry: number;
    /** The figures at the purchase did not meet the other filters. */
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
  /** One entry for each chosen type. */
  readonly by_type: { readonly [Type in SignalType]?: TradeFigures };
  /** Mean hours from purchase to sale, of the positions that were sold. */
  readonly avg_hours_held: number;
  /** The most positions open at the same time. Multiplied by `size_usd`, this is the capital needed. */
  readonly max_open: number;
  /** The largest fall of the profit from an earlier high, US dollars, measured at full hours. */
  readonly max_drawdown_usd: number;
  /** The trades with the highest results, at most five. */
  readonly best: readonly BacktestTrade[];
  /** The trades with the lowest results, at most five. */
  readonly worst: readonly BacktestTrade[];
  /** Before this instant, the history has one observation an hour, besides first ones, status changes and all-time highs. */
  readonly hourly_before: string;
};

/** The result of a finished backtest. */
export type BacktestResult = BacktestSummary & {
  /** The profit over time, oldest first, at most a few hundred points. */
  readonly equity: {
    readonly interval: 'hour' | 'day';
    readonly points: readonly {
      readonly at: string;
      /** The profit of all trades up to `at`, US dollars. An open position counts as if sold at `at`. */
      readonly profit_usd: number;
      /** Positions open at `at`. */
      readonly open: number;
    }[];
  };
};

export type BacktestStatus = 'queued' | 'running' | 'completed' | 'failed';

/** A backtest in a list. Its result has no equity curve. */
export type BacktestListItem = {
  readonly id: string;
  /** `queued` and `running` end by themselves. `completed` has a result, `failed` an error. */
  readonly status: BacktestStatus;
  /** Signals processed so far, and signals to process. */
  readonly progress: { readonly done: number; readonly total: number };
  readonly parameters: BacktestParameters;
  /** Why the backtest failed; null unless `status` is `failed`. */
  readonly error: string | null;
  readonly created_at: string;
  /** Null until the backtest is finished. */
  readonly finished_at: string | null;
  /** Null before `status` is `completed`. */
  readonly result: BacktestSummary | null;
};

/** A strategy tried on signals of the past. */
export type Backtest = Omit<BacktestListItem, 'result'> & {
  /** Null before `status` is `completed`. */
  readonly result: BacktestResult | null;
};

/** A backtest with its result. */
export type CompletedBacktest = Backtest & { readonly status: 'completed'; readonly result: BacktestResult };

/** A backtest that `run` waited for has failed. `backtest.error` says why. */
export class BacktestFailedError extends Error {
  override readonly name = 'BacktestFailedError';
  readonly backtest: Backtest;

  constructor(backtest: Backtest) {
    super(`The backtest ${backtest.id} failed: ${backtest.error ?? 'no reason is known'}`);
    this.backtest = backtest;
  }
}
