// Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.
import type { OneOrMore } from '../query.ts';

export const signalTypeValues = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;
export type SignalType = (typeof signalTypeValues)[number];

export const signalStatusValues = ['active', 'winner', 'dead', 'rugged'] as const;
export type SignalStatus = (typeof signalStatusValues)[number];

export type ListedToken = {
  readonly symbol: string;
  readonly name: string;
  /** Token contract address. */
  readonly contract: string;
  /** DexScreener’s name of the chain, such as `solana`, `ethereum` or `base`; empty where unknown. */
  readonly chain: string;
  /** Age of the token when the signal was created, in hours. */
  readonly age_hours: number;
};

export type ListedMetrics = {
  /** Market cap when the signal was created, US dollars. */
  readonly mcap_entry: number;
  /** Newest market cap seen, US dollars. */
  readonly mcap_current: number;
  /** Trading volume of the last 24 hours, US dollars. */
  readonly volume_24h: number;
  readonly holders: number;
  /** US dollars. */
  readonly liquidity: number;
};

export type ListedPerformance = {
  /** Percent: (mcap_current / mcap_entry − 1) × 100, two decimals. */
  readonly roi: number;
  /** Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals. */
  readonly ath_roi: number;
  readonly status: SignalStatus;
};

export type Outcome = {
  readonly status: 'winner' | 'dead' | 'rugged';
  /** `rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal. */
  readonly decided_by: 'rule' | 'producer';
  /**
   * The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator’s own; null where a
   * producer decided.
   */
  readonly rule: string | null;
  /** When the status changed: `timestamp` of the event. */
  readonly decided_at: string;
  /**
   * When the observations were made that the decision rests on, 10 at most. Empty where a producer decided. For
   * `dead`, an observation at which the market does not know the token counts as one without trade.
   */
  readonly observations: readonly string[];
};

/** Figures of the last hour that the rules look at beside those of the signal. */
export type OriginFigures = {
  /** US dollars. */
  readonly volume_1h: number | null;
  readonly buys_1h: number | null;
  readonly sells_1h: number | null;
  /** Wallets that bought, each counted once. */
  readonly buyers_1h: number | null;
  /** Change of the price, percent. */
  readonly change_1h: number | null;
};

export type OriginRisks = {
  /** The part of all tokens that the ten largest holders have. */
  readonly top10_share: number | null;
  /** Whether somebody may make more of the token. */
  readonly mintable: boolean | null;
  /** Whether somebody may freeze holders’ tokens. */
  readonly freezable: boolean | null;
  /** Whether buyers can’t sell. */
  readonly honeypot: boolean | null;
};

export type Origin = {
  /** The version of the rules that made the signal; `v1-custom` with thresholds of the operator’s own. */
  readonly rule: string;
  /** The lists that named the token. */
  readonly sources: readonly string[];
  /** When the figures were observed that the rules were applied to. */
  readonly observed_at: string;
  readonly figures: OriginFigures;
  readonly risks: OriginRisks;
  /** Members of the signal that no source knew: they have 0, false or the empty text. */
  readonly unknown: readonly ('age_hours' | 'dex_paid' | 'holders' | 'socials' | 'volume_24h')[];
};

export type Realizable = {
  readonly rule: string;
  /** Percent after costs, two decimals; before the exit, as if sold at the newest observation. */
  readonly roi: number;
  /** When the figures were observed at which the order was bought. */
  readonly entered_at: string;
  /** When the figures were observed at which the order was sold; null before the exit. */
  readonly exited_at: string | null;
  /**
   * Why the order was sold: `target`, `stop`, or `end` of its time or of the signal (dead, rugged); null before
   * the exit.
   */
  readonly exit: 'target' | 'stop' | 'end' | null;
};

export type SignalListItem = {
  readonly id: string;
  readonly token: ListedToken;
  readonly metrics: ListedMetrics;
  readonly performance: ListedPerformance;
  readonly type: SignalType;
  readonly is_premium: boolean;
  /** When the signal was created. */
  readonly created_at: string;
  /** Where `include=outcome` asks for it: how the status was decided; null while the signal is active. */
  readonly outcome?: Outcome | null | undefined;
  /**
   * Where `include=origin` asks for it: the rule that made the signal, and the figures that it rests on; null
   * where the producer did not say.
   */
  readonly origin?: Origin | null | undefined;
  /**
   * Where `include=realizable` asks for it: what an order of 100 US dollars would have earned by the published
   * exit rule, after costs; null where there was no position.
   */
  readonly realizable?: Realizable | null | undefined;
};

export type ListMeta = {
  readonly total: number;
  /**
   * `total` and `total_pages` are of the newest part of the list, because counting ends at a bound. Otherwise
   * absent.
   */
  readonly total_capped?: true | undefined;
  readonly page: number;
  readonly per_page: number;
  readonly total_pages: number;
  /** Pass it back as `cursor` for what follows; null on the last page. Absent where a list has no cursors. */
  readonly next_cursor?: string | null | undefined;
};

export type TokenSocials = {
  /** Empty where none is known. */
  readonly twitter: string;
  /** Empty where none is known. */
  readonly telegram: string;
  /** Empty where none is known. */
  readonly website: string;
};

export type Token = {
  readonly symbol: string;
  readonly name: string;
  /** Token contract address. */
  readonly contract: string;
  /** DexScreener’s name of the chain, such as `solana`, `ethereum` or `base`; empty where unknown. */
  readonly chain: string;
  /** Age of the token when the signal was created, in hours. */
  readonly age_hours: number;
  readonly dex_paid: boolean;
  readonly socials: TokenSocials;
};

export type Metrics = {
  /** Market cap when the signal was created, US dollars. */
  readonly mcap_entry: number;
  /** Newest market cap seen, US dollars. */
  readonly mcap_current: number;
  /** Trading volume of the last 24 hours, US dollars. */
  readonly volume_24h: number;
  readonly holders: number;
  /** US dollars. */
  readonly liquidity: number;
  /** Highest market cap seen since entry, US dollars. */
  readonly mcap_ath: number;
};

export type Performance = {
  /** Percent: (mcap_current / mcap_entry − 1) × 100, two decimals. */
  readonly roi: number;
  /** Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals. */
  readonly ath_roi: number;
  readonly status: SignalStatus;
  /** Hours from created_at to the observation of mcap_ath. */
  readonly time_to_ath_hours: number;
};

export type Signal = {
  readonly id: string;
  readonly token: Token;
  readonly metrics: Metrics;
  readonly performance: Performance;
  readonly type: SignalType;
  readonly is_premium: boolean;
  /** When the signal was created. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Where `include=outcome` asks for it: how the status was decided; null while the signal is active. */
  readonly outcome?: Outcome | null | undefined;
  /**
   * Where `include=origin` asks for it: the rule that made the signal, and the figures that it rests on; null
   * where the producer did not say.
   */
  readonly origin?: Origin | null | undefined;
  /**
   * Where `include=realizable` asks for it: what an order of 100 US dollars would have earned by the published
   * exit rule, after costs; null where there was no position.
   */
  readonly realizable?: Realizable | null | undefined;
};

/** The market cap when the signal was created. */
export type SignalHistoryEntry = {
  readonly at: string;
  /** US dollars. */
  readonly mcap: number;
};

/** The highest market cap since then, of all time, and when it was observed first. */
export type SignalHistoryAth = {
  readonly at: string;
  /** US dollars. */
  readonly mcap: number;
};

export type HistoryFigures = {
  /** The first value, US dollars. */
  readonly open: number;
  /** The highest value, US dollars. */
  readonly high: number;
  /** The lowest value, US dollars. */
  readonly low: number;
  /** The last value, US dollars. */
  readonly close: number;
};

export type HistoryBucket = {
  /** Start of the bucket in UTC, itself included. The bucket lasts for `resolution`; `from` and `until` may cut it. */
  readonly start: string;
  /** How many observations the bucket is made of. */
  readonly count: number;
  /** The market cap. */
  readonly mcap: HistoryFigures;
  readonly liquidity: HistoryFigures;
};

export type StatusChange = {
  /** When the figures were observed that the change belongs to. */
  readonly at: string;
  readonly status: 'winner' | 'dead' | 'rugged';
  /** `rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal. */
  readonly decided_by: 'rule' | 'producer';
  /**
   * The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator’s own; null where a
   * producer decided.
   */
  readonly rule: string | null;
  /** When the status changed: `timestamp` of the event. */
  readonly decided_at: string;
  /**
   * When the observations were made that the decision rests on, 10 at most. Empty where a producer decided. For
   * `dead`, an observation at which the market does not know the token counts as one without trade.
   */
  readonly observations: readonly string[];
};

export type SignalHistory = {
  readonly id: string;
  /** Start of the range, itself included. */
  readonly from: string;
  /** End of the range, itself included. */
  readonly until: string;
  /** What one bucket covers. */
  readonly resolution: '1m' | '5m' | '1h' | '1d' | '1w';
  /** The market cap when the signal was created. */
  readonly entry: SignalHistoryEntry;
  /** The highest market cap since then, of all time, and when it was observed first. */
  readonly ath: SignalHistoryAth;
  readonly status: SignalStatus;
  /** Oldest first. A bucket without observations is left out. */
  readonly buckets: readonly HistoryBucket[];
  /** Every change of the status that is known, oldest first, in the range or not. */
  readonly changes: readonly StatusChange[];
};

export type ProvenEntry = {
  /** The number of the entry, from 0. */
  readonly index: number;
  readonly kind: 'signal' | 'outcome' | 'correction';
  /**
   * The entry word for word, canonical JSON (RFC 8785): the leaf of the tree is the SHA-256 of a zero byte and of
   * it.
   */
  readonly entry: string;
  /** The hashes of its siblings, from the leaf up (RFC 6962, 2.1.1). */
  readonly proof: readonly string[];
  /** The same as a file that can be verified without this system (C2SP tlog-proof). */
  readonly tlog_proof: string;
};

export type SignalProof = {
  readonly id: string;
  /** The name of the log, which is also that of its key. */
  readonly origin: string;
  /** The signed checkpoint that the proofs lead to (C2SP tlog-checkpoint). */
  readonly checkpoint: string;
  readonly entries: readonly ProvenEntry[];
};

export type TypeStatistics = {
  readonly total: number;
  readonly winners: number;
  /** Percent of winners among all, two decimals; 0 where there are none. */
  readonly win_rate: number;
};

/** Signals by their status now. */
export type DistributionByStatus = {
  readonly active: number;
  readonly winner: number;
  readonly dead: number;
  readonly rugged: number;
};

export type Percentiles = {
  /**
   * The smallest value that at least 10 % of the signals do not exceed, percent, rounded to within 0.5 % of
   * itself, exact below 2 %.
   */
  readonly p10: number;
  /**
   * The smallest value that at least 25 % of the signals do not exceed, percent, rounded to within 0.5 % of
   * itself, exact below 2 %.
   */
  readonly p25: number;
  /**
   * The smallest value that at least half of the signals do not exceed, percent, rounded to within 0.5 % of
   * itself, exact below 2 %.
   */
  readonly median: number;
  /**
   * The smallest value that at least 75 % of the signals do not exceed, percent, rounded to within 0.5 % of
   * itself, exact below 2 %.
   */
  readonly p75: number;
  /**
   * The smallest value that at least 90 % of the signals do not exceed, percent, rounded to within 0.5 % of
   * itself, exact below 2 %.
   */
  readonly p90: number;
};

/** Signals by their status now. */
export type TypeDistributionByStatus = {
  readonly active: number;
  readonly winner: number;
  readonly dead: number;
  readonly rugged: number;
};

export type TypeDistribution = {
  /** Signals by their status now. */
  readonly by_status: TypeDistributionByStatus;
  /** Of the current roi. */
  readonly roi: Percentiles;
  /** Of ath_roi. */
  readonly ath_roi: Percentiles;
  /** Mean of time_to_ath_hours, two decimals. */
  readonly avg_time_to_ath_hours: number;
  /** Signals that ath_roi and avg_time_to_ath_hours include: all. */
  readonly ath_signals: number;
};

export type Distribution = {
  /** Signals by their status now. */
  readonly by_status: DistributionByStatus;
  /** Of the current roi. */
  readonly roi: Percentiles;
  /** Of ath_roi. */
  readonly ath_roi: Percentiles;
  /** Mean of time_to_ath_hours, two decimals. */
  readonly avg_time_to_ath_hours: number;
  /** Signals that ath_roi and avg_time_to_ath_hours include: all. */
  readonly ath_signals: number;
  /** All six types; with a type filter, that one. */
  readonly by_type: { readonly [Key in SignalType]?: TypeDistribution };
};

/** These signals by how their order was sold; `open`: not yet, with the roi of a sale now. */
export type RealizableStatisticsByExit = {
  readonly open: number;
  readonly target: number;
  readonly stop: number;
  readonly end: number;
};

/** These signals by how their order was sold; `open`: not yet, with the roi of a sale now. */
export type TypeRealizableStatisticsByExit = {
  readonly open: number;
  readonly target: number;
  readonly stop: number;
  readonly end: number;
};

export type TypeRealizableStatistics = {
  /** Signals for which the rule had an entry, so that they have `realizable`. */
  readonly signals: number;
  /** Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none. */
  readonly avg_roi: number;
  /** Percent of these signals whose `realizable.roi` is above 0, two decimals. */
  readonly profitable: number;
  /** Of `realizable.roi`. */
  readonly roi: Percentiles;
  /** These signals by how their order was sold; `open`: not yet, with the roi of a sale now. */
  readonly by_exit: TypeRealizableStatisticsByExit;
};

export type RealizableStatistics = {
  /** The version of the exit rule, such as `v1`. Results of other versions are not included. */
  readonly rule: string;
  /** Signals for which the rule had an entry, so that they have `realizable`. */
  readonly signals: number;
  /** Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none. */
  readonly avg_roi: number;
  /** Percent of these signals whose `realizable.roi` is above 0, two decimals. */
  readonly profitable: number;
  /** Of `realizable.roi`. */
  readonly roi: Percentiles;
  /** These signals by how their order was sold; `open`: not yet, with the roi of a sale now. */
  readonly by_exit: RealizableStatisticsByExit;
  /** All six types; with a type filter, that one. */
  readonly by_type: { readonly [Key in SignalType]?: TypeRealizableStatistics };
};

export type Statistics = {
  readonly total_signals: number;
  readonly winners: number;
  /** Percent of winners among all, two decimals; 0 where there are none. */
  readonly win_rate: number;
  /** Mean of the current roi, percent; 0 where there are no signals. */
  readonly avg_roi: number;
  /** Maximum of the current roi, percent; 0 where there are no signals. */
  readonly best_roi: number;
  /** All six types; with a type filter, that one. */
  readonly by_type: { readonly [Key in SignalType]?: TypeStatistics };
  /** Where `include=distribution` asks for it. */
  readonly distribution?: Distribution | undefined;
  /** Where `include=realizable` asks for it. */
  readonly realizable?: RealizableStatistics | undefined;
  /** The instant that the figures are exact for. */
  readonly as_of: string;
};

export type RealizablePoint = {
  /** Signals for which the rule had an entry, so that they have `realizable`. */
  readonly signals: number;
  /** Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none. */
  readonly avg_roi: number;
};

export type StatisticsPoint = {
  /** Start of the hour, day, week or month, in UTC, itself included. The interval lasts until the next one starts. */
  readonly from: string;
  readonly total_signals: number;
  readonly winners: number;
  /** Percent of winners among all, two decimals; 0 where there are none. */
  readonly win_rate: number;
  /** Mean of the current roi, percent; 0 where there are no signals. */
  readonly avg_roi: number;
  /** Maximum of the current roi, percent; 0 where there are no signals. */
  readonly best_roi: number;
  /** Where `include=realizable` asks for it. */
  readonly realizable?: RealizablePoint | undefined;
};

export type StatisticsSeries = {
  readonly period: '24h' | '7d' | '30d' | 'all';
  /** What one point covers. */
  readonly interval: 'hour' | 'day' | 'week' | 'month';
  /**
   * Oldest first, without a gap: an interval without signals has zeros. The first point counts only signals that
   * were created after `as_of` − `period`. The last point is not over yet.
   */
  readonly points: readonly StatisticsPoint[];
  /** The instant that the figures are exact for. */
  readonly as_of: string;
};

/** Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it out. */
export type CreateBacktestFilters = {
  /** Signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day. */
  readonly since: Date | string;
  /** Signals created up to this instant, itself included; without it, up to `as_of`. A bare date means 00:00 UTC. */
  readonly until?: Date | string | undefined;
  /** Signals of these types; without it, of all types. */
  readonly types?: readonly SignalType[] | undefined;
  /** Only premium signals, or only others; null for both. */
  readonly is_premium?: boolean | null | undefined;
  /** The lowest market cap at the purchase, US dollars. */
  readonly min_mcap?: number | null | undefined;
  /** The highest market cap at the purchase, US dollars. */
  readonly max_mcap?: number | null | undefined;
  /** The lowest liquidity at the purchase, US dollars. */
  readonly min_liquidity?: number | null | undefined;
  /** The lowest volume of the 24 hours before the purchase, US dollars. */
  readonly min_volume_24h?: number | null | undefined;
  /** The lowest number of holders at the purchase. */
  readonly min_holders?: number | null | undefined;
};

/** What each trade costs. */
export type CreateBacktestCosts = {
  /** Percent of each trade, of the purchase and of the sale. Default: `1`. */
  readonly fee_percent?: number | undefined;
  /**
   * Whether a trade moves the price against itself: x·v/(x+v) of a constant-product pool, x being half of the
   * liquidity. Default: `true`.
   */
  readonly price_impact?: boolean | undefined;
};

/** A member that is left out has its value in the exit rule `v1`. */
export type CreateBacktest = {
  /** What you call it, up to 80 characters; without it, or with null, it has no name. */
  readonly name?: string | null | undefined;
  /** Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it out. */
  readonly filters: CreateBacktestFilters;
  /**
   * Only signals that met all conditions when they were created, by what was known then: fields of an event’s
   * `data` without `performance` and `metrics.mcap_ath`. Null for none.
   */
  readonly filter?: { readonly [Key in string]?: unknown } | null | undefined;
  /**
   * Minutes from the signal’s creation to the earliest purchase. The signal is bought with the first figures with
   * liquidity that become known in the hour after that. Default: `1`.
   */
  readonly delay_minutes?: number | undefined;
  /** What each purchase costs, US dollars, its fee included. Default: `100`. */
  readonly size_usd?: number | undefined;
  /**
   * Sells when the market cap is at least this multiple of the one at the purchase, twice in a row; null for no
   * target. Default: `2`.
   */
  readonly target?: number | null | undefined;
  /**
   * Sells when the market cap is at most this multiple of the one at the purchase, twice in a row; null for no
   * stop. Default: `0.5`.
   */
  readonly stop?: number | null | undefined;
  /** Sells with the first figures after this many hours. Default: `168`. */
  readonly hold_hours?: number | undefined;
  /** What each trade costs. */
  readonly costs?: CreateBacktestCosts | undefined;
  /**
   * Nothing that was known later has a part in the result; without it, a minute ago. At least 60 seconds ago. A
   * bare date means 00:00 UTC of that day.
   */
  readonly as_of?: Date | string | undefined;
};

/** Signals that were gone through. */
export type BacktestProgress = {
  readonly done: number;
  /** Signals to go through. */
  readonly total: number;
};

export type BacktestParametersFilters = {
  /** Signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day. */
  readonly since: string;
  /** Signals created up to this instant, itself included. */
  readonly until: string;
  /** All six where none were named. */
  readonly types: readonly SignalType[];
  readonly is_premium: boolean | null;
  /** The lowest market cap at the purchase, US dollars. */
  readonly min_mcap: number | null;
  /** The highest market cap at the purchase, US dollars. */
  readonly max_mcap: number | null;
  /** The lowest liquidity at the purchase, US dollars. */
  readonly min_liquidity: number | null;
  /** The lowest volume of the 24 hours before the purchase, US dollars. */
  readonly min_volume_24h: number | null;
  /** The lowest number of holders at the purchase. */
  readonly min_holders: number | null;
};

export type BacktestParametersCosts = {
  /** Percent of each trade, of the purchase and of the sale. */
  readonly fee_percent: number;
  /**
   * Whether a trade moves the price against itself: x·v/(x+v) of a constant-product pool, x being half of the
   * liquidity.
   */
  readonly price_impact: boolean;
};

export type BacktestParameters = {
  readonly filters: BacktestParametersFilters;
  /**
   * Only signals that met all conditions when they were created, by what was known then: fields of an event’s
   * `data` without `performance` and `metrics.mcap_ath`. Null for none.
   */
  readonly filter: { readonly [Key in string]?: unknown } | null;
  /**
   * Minutes from the signal’s creation to the earliest purchase. The signal is bought with the first figures with
   * liquidity that become known in the hour after that.
   */
  readonly delay_minutes: number;
  /** What each purchase costs, US dollars, its fee included. */
  readonly size_usd: number;
  /**
   * Sells when the market cap is at least this multiple of the one at the purchase, twice in a row; null for no
   * target.
   */
  readonly target: number | null;
  /**
   * Sells when the market cap is at most this multiple of the one at the purchase, twice in a row; null for no
   * stop.
   */
  readonly stop: number | null;
  /** Sells with the first figures after this many hours. */
  readonly hold_hours: number;
  readonly costs: BacktestParametersCosts;
  /** Nothing that was known later has a part in the result. */
  readonly as_of: string;
};

/** The signals without a trade. */
export type BacktestResultNotBought = {
  /** No figures with liquidity became known in the hour after the delay, or the token was known as dead or rugged. */
  readonly no_entry: number;
  /** The signal did not meet `filter`, or the figures at the purchase were not as `filters` wants them. */
  readonly filtered: number;
};

/**
 * Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
 * sold.
 */
export type BacktestResultByExit = {
  readonly open: number;
  readonly target: number;
  readonly stop: number;
  readonly end: number;
};

export type TradeFigures = {
  /** Signals that were bought. */
  readonly trades: number;
  /** US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures. */
  readonly profit_usd: number;
  /** Mean result of a trade, percent, two decimals. */
  readonly avg_roi: number;
  /** Percent of the trades with a result above 0, two decimals. */
  readonly profitable: number;
};

export type BacktestTrade = {
  readonly signal_id: string;
  readonly symbol: string;
  readonly type: SignalType;
  /** When the figures became known at which the signal was bought. */
  readonly entered_at: string;
  /** When the figures became known at which the signal was sold; null while it is not sold. */
  readonly exited_at: string | null;
  /** As `by_exit` says; null while it is not sold. */
  readonly exit: 'target' | 'stop' | 'end' | null;
  /** Percent after costs, two decimals. */
  readonly roi: number;
  /** US dollars, two decimals. */
  readonly profit_usd: number;
};

export type BacktestResultHistogram = {
  /** Results of at least so many percent. */
  readonly from: number;
  /** And of less than this; null: however high. */
  readonly to: number | null;
  readonly trades: number;
};

export type BacktestResultEquityPoints = {
  readonly at: string;
  /** Of all trades up to then, US dollars. A position that was not sold counts as sold then. */
  readonly profit_usd: number;
  /** Of the trades that were sold by then, US dollars. */
  readonly realized_usd: number;
  /** The largest fall from an earlier high since the point before, US dollars, by full minutes. */
  readonly drawdown_usd: number;
  /** Positions that were not sold then. */
  readonly open: number;
};

/** The profit over time, oldest first, until nothing changes any more. Without trades it is empty. */
export type BacktestResultEquity = {
  /**
   * The distance of the points: the shortest with at most 336 of them, or a day. The first and the last point may
   * be nearer.
   */
  readonly interval_minutes: 1 | 5 | 15 | 60 | 1440;
  readonly points: readonly BacktestResultEquityPoints[];
};

export type BacktestResult = {
  /** Signals of the chosen time, types and kind (premium or not). */
  readonly signals: number;
  /** The signals without a trade. */
  readonly not_bought: BacktestResultNotBought;
  /** Signals that were bought. */
  readonly trades: number;
  /** US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures. */
  readonly profit_usd: number;
  /** Mean result of a trade, percent, two decimals. */
  readonly avg_roi: number;
  /** Percent of the trades with a result above 0, two decimals. */
  readonly profitable: number;
  /**
   * The part of `profit_usd` that sold trades earned, US dollars. The rest is what positions that are not sold
   * were worth.
   */
  readonly realized_usd: number;
  /** Of the results of the trades. */
  readonly roi: Percentiles;
  /**
   * Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
   * sold.
   */
  readonly by_exit: BacktestResultByExit;
  /** All chosen types. */
  readonly by_type: { readonly [Key in SignalType]?: TradeFigures };
  /** Mean time from purchase to sale, hours, two decimals, of sold ones. */
  readonly avg_hours_held: number;
  /** The most positions at the same time. Times `size_usd`: the capital that was needed. */
  readonly max_open: number;
  /** The largest fall of the equity curve from an earlier high, US dollars, by full minutes. */
  readonly max_drawdown_usd: number;
  /** The trades with the highest results. */
  readonly best: readonly BacktestTrade[];
  /** The trades with the lowest results. */
  readonly worst: readonly BacktestTrade[];
  /** Before this instant, the history has one observation an hour, and those that mattered; see the guide. */
  readonly hourly_before: string;
  /**
   * Trades by their results, the lowest first, without a gap. Bars are equally wide, and 0 is between two of them.
   * The last bar has no end where a few results are far above the others. Without trades it is empty.
   */
  readonly histogram: readonly BacktestResultHistogram[];
  /** The profit over time, oldest first, until nothing changes any more. Without trades it is empty. */
  readonly equity: BacktestResultEquity;
};

export type Backtest = {
  readonly id: string;
  /** What you call it, up to 80 characters; null where it has no name. */
  readonly name: string | null;
  /** `queued` and `running` change by themselves; `completed` has a result, `failed` an error. */
  readonly status: 'queued' | 'running' | 'completed' | 'failed';
  /** Signals that were gone through. */
  readonly progress: BacktestProgress;
  readonly parameters: BacktestParameters;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
  readonly created_at: string;
  /** Null while it is not finished. */
  readonly finished_at: string | null;
  /** Null before `status` is `completed`. */
  readonly result: BacktestResult | null;
};

/** Signals that were gone through. */
export type BacktestListItemProgress = {
  readonly done: number;
  /** Signals to go through. */
  readonly total: number;
};

/** The signals without a trade. */
export type BacktestSummaryNotBought = {
  /** No figures with liquidity became known in the hour after the delay, or the token was known as dead or rugged. */
  readonly no_entry: number;
  /** The signal did not meet `filter`, or the figures at the purchase were not as `filters` wants them. */
  readonly filtered: number;
};

/**
 * Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
 * sold.
 */
export type BacktestSummaryByExit = {
  readonly open: number;
  readonly target: number;
  readonly stop: number;
  readonly end: number;
};

export type BacktestSummary = {
  /** Signals of the chosen time, types and kind (premium or not). */
  readonly signals: number;
  /** The signals without a trade. */
  readonly not_bought: BacktestSummaryNotBought;
  /** Signals that were bought. */
  readonly trades: number;
  /** US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures. */
  readonly profit_usd: number;
  /** Mean result of a trade, percent, two decimals. */
  readonly avg_roi: number;
  /** Percent of the trades with a result above 0, two decimals. */
  readonly profitable: number;
  /**
   * The part of `profit_usd` that sold trades earned, US dollars. The rest is what positions that are not sold
   * were worth.
   */
  readonly realized_usd: number;
  /** Of the results of the trades. */
  readonly roi: Percentiles;
  /**
   * Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
   * sold.
   */
  readonly by_exit: BacktestSummaryByExit;
  /** All chosen types. */
  readonly by_type: { readonly [Key in SignalType]?: TradeFigures };
  /** Mean time from purchase to sale, hours, two decimals, of sold ones. */
  readonly avg_hours_held: number;
  /** The most positions at the same time. Times `size_usd`: the capital that was needed. */
  readonly max_open: number;
  /** The largest fall of the equity curve from an earlier high, US dollars, by full minutes. */
  readonly max_drawdown_usd: number;
  /** The trades with the highest results. */
  readonly best: readonly BacktestTrade[];
  /** The trades with the lowest results. */
  readonly worst: readonly BacktestTrade[];
  /** Before this instant, the history has one observation an hour, and those that mattered; see the guide. */
  readonly hourly_before: string;
};

export type BacktestListItem = {
  readonly id: string;
  /** What you call it, up to 80 characters; null where it has no name. */
  readonly name: string | null;
  /** `queued` and `running` change by themselves; `completed` has a result, `failed` an error. */
  readonly status: 'queued' | 'running' | 'completed' | 'failed';
  /** Signals that were gone through. */
  readonly progress: BacktestListItemProgress;
  readonly parameters: BacktestParameters;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
  readonly created_at: string;
  /** Null while it is not finished. */
  readonly finished_at: string | null;
  /** Null before `status` is `completed`. Without `histogram` and `equity` in lists. */
  readonly result: BacktestSummary | null;
};

export type DeletedBacktest = {
  readonly id: string;
  readonly deleted: true;
};

export const webhookKindValues = ['webhook', 'slack', 'discord', 'telegram'] as const;
export type WebhookKind = (typeof webhookKindValues)[number];

export type TelegramDestination = {
  /** The token that @BotFather gave you for your bot. It is never shown again. */
  readonly bot_token: string;
  /** The chat: its number, or the name of a public channel or group, such as `@channel`. */
  readonly chat_id: number | string;
  /** A topic of the chat. */
  readonly message_thread_id?: number | undefined;
};

export const chatTemplateValues = ['compact', 'standard', 'detailed'] as const;
export type ChatTemplate = (typeof chatTemplateValues)[number];

export const subscribableEventValues = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged', 'webhook.failing', 'webhook.disabled'] as const;
export type SubscribableEvent = (typeof subscribableEventValues)[number];

export type WebhookBatch = {
  /** The most events in a request. */
  readonly max: number;
  /** How long an event waits for others, in milliseconds. */
  readonly wait_ms: number;
};

export type CreateWebhook = {
  /** `webhook` where it is left out; the others are chats, where people read messages. */
  readonly kind?: WebhookKind | undefined;
  /**
   * Where events are sent: an https address that is reachable from the internet, with port 443 or 8443. The
   * operator of a server may permit more: http with port 80 or 8080, and further ports. For `slack` and `discord`,
   * the address of the incoming webhook that they gave you; for `telegram` it is left out.
   */
  readonly url?: string | undefined;
  /** Only for `telegram`: the bot, which has to be a member of the chat, and the chat. */
  readonly telegram?: TelegramDestination | undefined;
  /** How much a message in a chat says. `standard` where it is left out. */
  readonly template?: ChatTemplate | undefined;
  /**
   * `webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a day, or was
   * disabled by Sigcast.
   */
  readonly events: readonly SubscribableEvent[];
  /**
   * Only events of signals of these types; without it, of all types. Events that are not about signals always
   * come.
   */
  readonly types?: readonly SignalType[] | undefined;
  /**
   * Only events whose signal meets all conditions: fields of the event’s `data` by their path, as in `filter` of
   * `GET /v1/signals`. At most 20 conditions. Events that are not about signals always come.
   */
  readonly filter?: { readonly [Key in string]?: unknown } | undefined;
  /**
   * One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
   * failed with all its retries. False where it is left out. Chats are always ordered.
   */
  readonly ordered?: boolean | undefined;
  /**
   * For an ordered webhook: events that wait are sent together, as an array in one request with one signature. A
   * request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`.
   */
  readonly batch?: WebhookBatch | null | undefined;
  /** For yourself. */
  readonly description?: string | undefined;
};

export type TelegramChat = {
  /** The chat: its number, or the name of a public channel or group, such as `@channel`. */
  readonly chat_id: number | string;
  /** A topic of the chat. */
  readonly message_thread_id: number | null;
};

export type Recovery = {
  readonly since: string;
  /** `running`: the recovery goes on by itself, and `GET /v1/webhooks/{id}` shows its progress. */
  readonly status: 'running' | 'completed';
  /** Failed deliveries that are sent again. */
  readonly retried: number;
  /** Deliveries created for events that never had one. */
  readonly opened: number;
  readonly requested_at: string;
  readonly completed_at: string | null;
};

export type CreatedWebhookWarnings = {
  readonly field: string;
  readonly message: string;
};

export type CreatedWebhook = {
  readonly id: string;
  readonly kind: WebhookKind;
  /** Where events are sent. Of a chat’s address, the last four characters of its token are shown. */
  readonly url: string;
  /** Only for `telegram`: the chat. */
  readonly telegram: TelegramChat | null;
  /** How much a message in a chat says. Null for `webhook`. */
  readonly template: ChatTemplate | null;
  /** Whether the address has answered with success once. Until then it gets one request at a time. */
  readonly proven: boolean;
  readonly events: readonly SubscribableEvent[];
  /** The signal types of its events; all six if none were named. */
  readonly types: readonly SignalType[];
  /** As it was given; null for none. */
  readonly filter: { readonly [Key in string]?: unknown } | null;
  /**
   * One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
   * failed with all its retries.
   */
  readonly ordered: boolean;
  /**
   * For an ordered webhook: events that wait are sent together, as an array in one request with one signature. A
   * request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null for
   * each event alone.
   */
  readonly batch: WebhookBatch | null;
  /**
   * While `disabled`, events are kept but not sent. `pending`: nothing is sent until your account’s e-mail address
   * is verified, where the operator asks for that; then it becomes `enabled` by itself.
   */
  readonly status: 'enabled' | 'disabled' | 'pending';
  /**
   * `paused` by you, or by a new password that revokes access; `failing`: every delivery failed for 3 days;
   * `gone`: it answered 410, or the chat takes no more messages. Null while enabled.
   */
  readonly disabled_reason: 'paused' | 'failing' | 'gone' | null;
  readonly disabled_at: string | null;
  /**
   * The first failed attempt since the last success, once a delivery was given up or the address was found to be
   * down; null if deliveries succeed, or the webhook is disabled.
   */
  readonly failing_since: string | null;
  /** When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null. */
  readonly disables_at: string | null;
  readonly description: string | null;
  /** Until then, replaced secrets sign too. Null when only the current secret signs. */
  readonly previous_secret_expires_at: string | null;
  /** The last recovery that was asked for. */
  readonly recovery: Recovery | null;
  readonly created_at: string;
  readonly updated_at: string;
  /**
   * Only in answers of POST and PATCH that set `url`, and only if there are any: a host name that does not resolve
   * now. The webhook is made all the same.
   */
  readonly warnings?: readonly CreatedWebhookWarnings[] | undefined;
  /** Signing secret, `whsec_` and base64 (Standard Webhooks). Shown only once. Empty for chats. */
  readonly secret: string;
};

export type WebhookWarnings = {
  readonly field: string;
  readonly message: string;
};

export type Webhook = {
  readonly id: string;
  readonly kind: WebhookKind;
  /** Where events are sent. Of a chat’s address, the last four characters of its token are shown. */
  readonly url: string;
  /** Only for `telegram`: the chat. */
  readonly telegram: TelegramChat | null;
  /** How much a message in a chat says. Null for `webhook`. */
  readonly template: ChatTemplate | null;
  /** Whether the address has answered with success once. Until then it gets one request at a time. */
  readonly proven: boolean;
  readonly events: readonly SubscribableEvent[];
  /** The signal types of its events; all six if none were named. */
  readonly types: readonly SignalType[];
  /** As it was given; null for none. */
  readonly filter: { readonly [Key in string]?: unknown } | null;
  /**
   * One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
   * failed with all its retries.
   */
  readonly ordered: boolean;
  /**
   * For an ordered webhook: events that wait are sent together, as an array in one request with one signature. A
   * request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null for
   * each event alone.
   */
  readonly batch: WebhookBatch | null;
  /**
   * While `disabled`, events are kept but not sent. `pending`: nothing is sent until your account’s e-mail address
   * is verified, where the operator asks for that; then it becomes `enabled` by itself.
   */
  readonly status: 'enabled' | 'disabled' | 'pending';
  /**
   * `paused` by you, or by a new password that revokes access; `failing`: every delivery failed for 3 days;
   * `gone`: it answered 410, or the chat takes no more messages. Null while enabled.
   */
  readonly disabled_reason: 'paused' | 'failing' | 'gone' | null;
  readonly disabled_at: string | null;
  /**
   * The first failed attempt since the last success, once a delivery was given up or the address was found to be
   * down; null if deliveries succeed, or the webhook is disabled.
   */
  readonly failing_since: string | null;
  /** When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null. */
  readonly disables_at: string | null;
  readonly description: string | null;
  /** Until then, replaced secrets sign too. Null when only the current secret signs. */
  readonly previous_secret_expires_at: string | null;
  /** The last recovery that was asked for. */
  readonly recovery: Recovery | null;
  readonly created_at: string;
  readonly updated_at: string;
  /**
   * Only in answers of POST and PATCH that set `url`, and only if there are any: a host name that does not resolve
   * now. The webhook is made all the same.
   */
  readonly warnings?: readonly WebhookWarnings[] | undefined;
};

export type UpdateWebhook = {
  /**
   * Where events are sent: an https address that is reachable from the internet, with port 443 or 8443. The
   * operator of a server may permit more: http with port 80 or 8080, and further ports. For `slack` and `discord`,
   * the address of the incoming webhook that they gave you; for `telegram` it is left out.
   */
  readonly url?: string | undefined;
  /** Only for `telegram`: the bot, which has to be a member of the chat, and the chat. */
  readonly telegram?: TelegramDestination | undefined;
  /** How much a message in a chat says. */
  readonly template?: ChatTemplate | undefined;
  /**
   * `webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a day, or was
   * disabled by Sigcast.
   */
  readonly events?: readonly SubscribableEvent[] | undefined;
  /** Only events of signals of these kinds. */
  readonly types?: readonly SignalType[] | undefined;
  /**
   * Only events whose signal meets all conditions: fields of the event’s `data` by their path, as in `filter` of
   * `GET /v1/signals`. At most 20 conditions. Events that are not about signals always come. Null for none.
   */
  readonly filter?: { readonly [Key in string]?: unknown } | null | undefined;
  /**
   * One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
   * failed with all its retries.
   */
  readonly ordered?: boolean | undefined;
  /**
   * For an ordered webhook: events that wait are sent together, as an array in one request with one signature. A
   * request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null for
   * each event alone.
   */
  readonly batch?: WebhookBatch | null | undefined;
  /** For yourself; null for none. */
  readonly description?: string | null | undefined;
  /** `disabled` pauses: nothing is sent. `enabled` goes on. */
  readonly status?: 'enabled' | 'disabled' | undefined;
};

export type DeletedWebhook = {
  readonly id: string;
  readonly deleted: true;
};

export const sentEventTypeValues = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged', 'webhook.failing', 'webhook.disabled', 'webhook.test'] as const;
export type SentEventType = (typeof sentEventTypeValues)[number];

export type DeliveryDetailLastAttempt = {
  readonly started_at: string;
  readonly outcome: 'succeeded' | 'bad_status' | 'timeout' | 'connection' | 'refused_address' | 'interrupted';
  /** The status your endpoint answered; null without an answer. */
  readonly http_status: number | null;
  /** What went wrong, in words. */
  readonly error: string | null;
  readonly duration_ms: number;
};

export type DeliveryAttemptRequestHeaders = {
  readonly name: string;
  readonly value: string;
};

/**
 * What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent; the
 * secret is in no answer. Absent where nothing was sent.
 */
export type DeliveryAttemptRequest = {
  /** Your address at that time. */
  readonly url: string;
  readonly headers: readonly DeliveryAttemptRequestHeaders[];
};

export type DeliveryAttemptResponseHeaders = {
  readonly name: string;
  readonly value: string;
};

/**
 * How long each step took. Null for a step that was not reached, and for the first three where a connection was
 * used again. Absent where nothing was sent.
 */
export type DeliveryAttemptTimings = {
  /** Until your host name had addresses; null for an IP address. */
  readonly dns_ms: number | null;
  /** From there to the connection. */
  readonly connect_ms: number | null;
  /** From there to the end of the TLS handshake. */
  readonly tls_ms: number | null;
  /** From there to the end of the headers of your answer. */
  readonly first_byte_ms: number | null;
};

/** Several events were sent together, this one among them. Absent where it was sent alone. */
export type DeliveryAttemptBatch = {
  /** The `webhook-id`. */
  readonly id: string;
  readonly events: number;
  /** Only this delivery’s attempt has what was sent and answered. */
  readonly first: string;
};

export type DeliveryAttempt = {
  /** From 1. */
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  /** `interrupted`: Sigcast stopped in the middle of the attempt; it does not count as a retry. */
  readonly outcome: 'succeeded' | 'bad_status' | 'timeout' | 'connection' | 'refused_address' | 'interrupted';
  /** The status your endpoint answered; null without an answer. */
  readonly http_status: number | null;
  /** What went wrong, in words. */
  readonly error: string | null;
  /** The first kB of the answer. */
  readonly response_body: string | null;
  /**
   * What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent; the
   * secret is in no answer. Absent where nothing was sent.
   */
  readonly request?: DeliveryAttemptRequest | undefined;
  /**
   * The first 32 headers of the answer, at most 4 kB, each value up to 1,000 characters. Values of `Set-Cookie`
   * are not kept. Null where there was no answer.
   */
  readonly response_headers?: readonly DeliveryAttemptResponseHeaders[] | null | undefined;
  /**
   * How long each step took. Null for a step that was not reached, and for the first three where a connection was
   * used again. Absent where nothing was sent.
   */
  readonly timings?: DeliveryAttemptTimings | undefined;
  /** The IP address it was sent to; null where there was no connection. */
  readonly address?: string | null | undefined;
  /** Several events were sent together, this one among them. Absent where it was sent alone. */
  readonly batch?: DeliveryAttemptBatch | undefined;
};

export type DeliveryDetail = {
  readonly id: string;
  /** The `webhook-id` of every attempt, unless it was sent in a batch. */
  readonly event_id: string;
  readonly event: SentEventType;
  /** Null where the event is not about a signal, and for a test. */
  readonly signal_id: string | null;
  /** The symbol of that signal’s token; null where `signal_id` is null. */
  readonly symbol?: string | null | undefined;
  /** `pending` while attempts are planned; `failed` after the last attempt. */
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempt_count: number;
  /** Null when no attempt is planned. While the webhook is disabled, the time moves on and nothing is sent. */
  readonly next_attempt_at: string | null;
  /** The outcome of the newest attempt; null before the first. */
  readonly last_attempt?: DeliveryDetailLastAttempt | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
  /**
   * The bytes that every attempt sends; of a batch, one entry, which also has the `id`. Null when the event is no
   * longer kept.
   */
  readonly body?: string | null | undefined;
  /** The last 100, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
};

export type RecoverWebhook = {
  /** From this instant on, at most 30 days back. A bare date means 00:00 UTC of that day. */
  readonly since: Date | string;
};

/** Deliveries made in that time which have ended. */
export type WebhookHealthLast24Hours = {
  /** 24 hours ago; later where more than 10,000 deliveries were made since then. */
  readonly since: string;
  readonly delivered: number;
  /** Those that failed with all their retries. */
  readonly failed: number;
  /** Percent; null where there were none. */
  readonly success_rate: number | null;
};

export type WebhookHealthLastAttemptsResults = {
  readonly started_at: string;
  readonly outcome: 'succeeded' | 'bad_status' | 'timeout' | 'connection' | 'refused_address' | 'interrupted';
  /** The status your endpoint answered; null without an answer. */
  readonly http_status: number | null;
  /** What went wrong, in words. */
  readonly error: string | null;
  readonly duration_ms: number;
};

/**
 * The last 50 attempts, of the 50 newest deliveries that were attempted. Zero where 2,000 newer deliveries wait
 * for their first attempt.
 */
export type WebhookHealthLastAttempts = {
  readonly attempts: number;
  readonly succeeded: number;
  /** Percent; null where there were none. */
  readonly success_rate: number | null;
  /** These attempts, the newest first. */
  readonly results: readonly WebhookHealthLastAttemptsResults[];
};

export type WebhookHealthLastError = {
  readonly delivery_id: string;
  readonly started_at: string;
  readonly outcome: 'succeeded' | 'bad_status' | 'timeout' | 'connection' | 'refused_address' | 'interrupted';
  /** The status your endpoint answered; null without an answer. */
  readonly http_status: number | null;
  /** What went wrong, in words. */
  readonly error: string | null;
};

export type WebhookHealth = {
  /** Deliveries made in that time which have ended. */
  readonly last_24_hours: WebhookHealthLast24Hours;
  /**
   * The last 50 attempts, of the 50 newest deliveries that were attempted. Zero where 2,000 newer deliveries wait
   * for their first attempt.
   */
  readonly last_attempts: WebhookHealthLastAttempts;
  /** The newest failed attempt, among the last attempts and the newest deliveries that failed or are retried. */
  readonly last_error: WebhookHealthLastError | null;
  /** Deliveries that wait for their first attempt; 10,000 stands for 10,000 or more. */
  readonly waiting: number;
  /**
   * Deliveries that were attempted and wait for another attempt: `status=retrying` of the log. 10,000 stands for
   * 10,000 or more. Together with `waiting`: `status=pending`.
   */
  readonly retrying: number;
  /** `status=failed` of the log; 10,000 stands for 10,000 or more. */
  readonly failed: number;
};

export type DeliveryLastAttempt = {
  readonly started_at: string;
  readonly outcome: 'succeeded' | 'bad_status' | 'timeout' | 'connection' | 'refused_address' | 'interrupted';
  /** The status your endpoint answered; null without an answer. */
  readonly http_status: number | null;
  /** What went wrong, in words. */
  readonly error: string | null;
  readonly duration_ms: number;
};

export type Delivery = {
  readonly id: string;
  /** The `webhook-id` of every attempt, unless it was sent in a batch. */
  readonly event_id: string;
  readonly event: SentEventType;
  /** Null where the event is not about a signal, and for a test. */
  readonly signal_id: string | null;
  /** The symbol of that signal’s token; null where `signal_id` is null. */
  readonly symbol?: string | null | undefined;
  /** `pending` while attempts are planned; `failed` after the last attempt. */
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempt_count: number;
  /** Null when no attempt is planned. While the webhook is disabled, the time moves on and nothing is sent. */
  readonly next_attempt_at: string | null;
  /** The outcome of the newest attempt; null before the first. */
  readonly last_attempt?: DeliveryLastAttempt | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
};

export const webhookEventTypeValues = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged'] as const;
export type WebhookEventType = (typeof webhookEventTypeValues)[number];

export type SignalAtEvent = {
  readonly id: string;
  readonly token: Token;
  readonly metrics: Metrics;
  readonly performance: Performance;
  readonly type: SignalType;
  readonly is_premium: boolean;
  /** When the signal was created. */
  readonly created_at: string;
};

export type FeedEvent = {
  /** The `webhook-id` of its deliveries. Can be passed as `after`, like any cursor. */
  readonly id: string;
  readonly event: WebhookEventType;
  /** When it happened. */
  readonly timestamp: string;
  readonly data: SignalAtEvent;
};

export type EventListMeta = {
  /** Pass it back as `after` to read on, now or later. Always present, also at the end. */
  readonly next_cursor: string;
  /** Whether more events may exist; false once the end is reached. */
  readonly has_more: boolean;
};

export type TryFilter = {
  /** Conditions, as in `filter` of a webhook. */
  readonly filter: { readonly [Key in string]?: unknown };
  /** Only these events; without it, all. */
  readonly events?: readonly WebhookEventType[] | undefined;
  /** Only events of signals of these types; without it, of all. */
  readonly types?: readonly SignalType[] | undefined;
};

export type TriedFilter = {
  /** The events among them whose signal meets the filter. */
  readonly matched: number;
  /** The newest events of these kinds: at most 1,000, of the newest 20,000 of all kinds. */
  readonly tried: number;
  /** When the oldest of them happened; null where there are none. */
  readonly since: string | null;
};

export type WebhookPayload = {
  readonly event: 'signal.new' | 'signal.winner' | 'signal.dead' | 'signal.rugged' | 'webhook.test';
  /** When it happened. */
  readonly timestamp: string;
  readonly data: SignalAtEvent;
};

export type WebhookStatePayloadData = {
  readonly id: string;
  /** Where events are sent. Of a chat’s address, the last four characters of its token are shown. */
  readonly url: string;
  readonly description: string | null;
  /**
   * The first failed attempt since the last success, once a delivery was given up or the address was found to be
   * down; null if deliveries succeed, or the webhook is disabled.
   */
  readonly failing_since: string | null;
  /** When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null. */
  readonly disables_at: string | null;
  /** Null for `webhook.failing`. */
  readonly disabled_reason: 'failing' | 'gone' | null;
};

export type WebhookStatePayload = {
  readonly event: 'webhook.failing' | 'webhook.disabled';
  /** When it was noticed. */
  readonly timestamp: string;
  readonly data: WebhookStatePayloadData;
};

export type BatchedSignalEvent = {
  readonly event: 'signal.new' | 'signal.winner' | 'signal.dead' | 'signal.rugged' | 'webhook.test';
  /** When it happened. */
  readonly timestamp: string;
  readonly data: SignalAtEvent;
  /** The same at each attempt. */
  readonly id: string;
};

export type BatchedWebhookEventData = {
  readonly id: string;
  /** Where events are sent. Of a chat’s address, the last four characters of its token are shown. */
  readonly url: string;
  readonly description: string | null;
  /**
   * The first failed attempt since the last success, once a delivery was given up or the address was found to be
   * down; null if deliveries succeed, or the webhook is disabled.
   */
  readonly failing_since: string | null;
  /** When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null. */
  readonly disables_at: string | null;
  /** Null for `webhook.failing`. */
  readonly disabled_reason: 'failing' | 'gone' | null;
};

export type BatchedWebhookEvent = {
  readonly event: 'webhook.failing' | 'webhook.disabled';
  /** When it was noticed. */
  readonly timestamp: string;
  readonly data: BatchedWebhookEventData;
  /** The same at each attempt. */
  readonly id: string;
};

export type ApiErrorDetails = {
  readonly field: string;
  readonly message: string;
};

export type ApiError = {
  readonly code: 'INVALID_REQUEST' | 'UNAUTHORIZED' | 'KEY_EXPIRED' | 'SECOND_FACTOR_REQUIRED' | 'FORBIDDEN' | 'SCOPE_REQUIRED' | 'NETWORK_NOT_ALLOWED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'NOT_IMPLEMENTED' | 'SERVICE_UNAVAILABLE' | 'GATEWAY_TIMEOUT';
  readonly message: string;
  readonly request_id: string;
  /** Where the code is explained, relative to the address of the request (RFC 3986). */
  readonly docs?: string | undefined;
  readonly details?: readonly ApiErrorDetails[] | undefined;
  /** Seconds until the next request is allowed. */
  readonly retry_after?: number | undefined;
};

/** Parameters of: List signals. */
export type ListSignalsQuery = {
  /** One kind of signal, or several separated by commas. */
  readonly type?: OneOrMore<SignalType> | undefined;
  /** One status, or several separated by commas. */
  readonly status?: OneOrMore<SignalStatus> | undefined;
  /** Only signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day. */
  readonly since?: Date | string | undefined;
  /** Only signals created up to this instant, itself included. A bare date means 00:00 UTC of that day. */
  readonly until?: Date | string | undefined;
  /** Only signals of tokens with exactly this symbol, in upper or lower case. */
  readonly symbol?: string | undefined;
  /**
   * Only signals of the token with this contract address: `0x…` addresses in upper or lower case, others exactly,
   * whatever the chain.
   */
  readonly contract?: string | undefined;
  /** Only signals of tokens on this chain, by DexScreener’s name of it, such as `solana`. */
  readonly chain?: string | undefined;
  /**
   * Only signals that meet all conditions of this object, in JSON: fields by their path, with operators. Fields
   * are those of a signal with all details, of `origin` and of `realizable`. Operators are `eq`, `ne`, `gt`,
   * `gte`, `lt`, `lte`, `in`, `nin` and `exists`, and for texts `starts_with` and `contains`, in any case. With
   * `any`, a list of such objects, at least one is met; with `not`, such an object, it is not met. A value that is
   * null or missing meets `exists: false`, `ne` and `nin` alone. `token.contract` and `token.symbol` are equal as
   * for `contract` and `symbol`. Percent-encoded, it has at most 6,000 bytes.
   */
  readonly filter?: string | undefined;
  /** What the list is sorted by, the highest first; among equal ones, the highest id. Without it: `created_at`. */
  readonly sort?: 'created_at' | 'roi' | 'ath_roi' | 'mcap_current' | 'liquidity' | undefined;
  /**
   * More members, separated by commas: `outcome` for who decided the status, by which rule, on which observations;
   * `origin` for the rule and the figures that the signal rests on; `realizable` for what a small order would have
   * earned by the published exit rule.
   */
  readonly include?: OneOrMore<'outcome' | 'origin' | 'realizable'> | undefined;
  /** Results per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** Page number, from 1; `page` × `limit` may reach 10,000. */
  readonly page?: number | undefined;
  /** `meta.next_cursor` of the previous page; instead of `page`. */
  readonly cursor?: string | undefined;
  /**
   * What was known at this instant, instead of now: by the time at which each change was recorded, so nothing
   * later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of that day.
   */
  readonly as_of?: Date | string | undefined;
};

/** Parameters of: Get a signal. */
export type GetSignalQuery = {
  /**
   * More members, separated by commas: `outcome` for who decided the status, by which rule, on which observations;
   * `origin` for the rule and the figures that the signal rests on; `realizable` for what a small order would have
   * earned by the published exit rule.
   */
  readonly include?: OneOrMore<'outcome' | 'origin' | 'realizable'> | undefined;
  /**
   * What was known at this instant, instead of now: by the time at which each change was recorded, so nothing
   * later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of that day.
   */
  readonly as_of?: Date | string | undefined;
};

/** Parameters of: Get a signal’s history. */
export type GetSignalHistoryQuery = {
  /**
   * Only observations from this instant on, itself included; without it, from the signal’s creation. A bare date
   * means 00:00 UTC of that day.
   */
  readonly from?: Date | string | undefined;
  /**
   * Only observations up to this instant, itself included; without it, up to now. A bare date means 00:00 UTC of
   * that day.
   */
  readonly until?: Date | string | undefined;
  /**
   * What one bucket covers, in UTC; weeks begin on Monday. Without it: the finest with at most 500 buckets of the
   * signal’s life between `from` and `until`.
   */
  readonly resolution?: '1m' | '5m' | '1h' | '1d' | '1w' | undefined;
};

/** Parameters of: Get statistics. */
export type GetStatisticsQuery = {
  /** Only signals of this kind. */
  readonly type?: SignalType | undefined;
  /** Only signals created in this time up to now. Default: `all`. */
  readonly period?: '24h' | '7d' | '30d' | 'all' | undefined;
  /**
   * More figures: `distribution` for percentiles, counts by status and the time to the all-time high; `realizable`
   * for what a small order by the exit rule earned. One, or both separated by a comma.
   */
  readonly include?: OneOrMore<'distribution' | 'realizable'> | undefined;
  /**
   * What was known at this instant, instead of now: by the time at which each change was recorded, so nothing
   * later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of that day.
   */
  readonly as_of?: Date | string | undefined;
};

/** Parameters of: Get statistics over time. */
export type GetStatisticsSeriesQuery = {
  /** Only signals of this kind. */
  readonly type?: SignalType | undefined;
  /** Only signals created in this time up to now. Default: `all`. */
  readonly period?: '24h' | '7d' | '30d' | 'all' | undefined;
  /**
   * What one point covers, in UTC; weeks begin on Monday. Without it: `hour` for the period `24h`, `day` for the
   * others, or `week` where there are more than 3,000 days. `hour` and `all` can’t be combined.
   */
  readonly interval?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** More figures: `realizable` for what a small order by the exit rule earned on average. */
  readonly include?: OneOrMore<'realizable'> | undefined;
};

/** Parameters of: List backtests. */
export type ListBacktestsQuery = {
  /** Results per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** Page number, from 1. Default: `1`. */
  readonly page?: number | undefined;
};

/** Parameters of: List a backtest’s trades. */
export type ListBacktestTradesQuery = {
  /** Trades per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** Page number, from 1; `page` × `limit` may reach 10,000. */
  readonly page?: number | undefined;
  /** `meta.next_cursor` of the previous page; instead of `page`. */
  readonly cursor?: string | undefined;
};

/** Parameters of: List webhooks. */
export type ListWebhooksQuery = {
  /** Results per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** Page number, from 1. Default: `1`. */
  readonly page?: number | undefined;
};

/** Parameters of: List deliveries. */
export type ListDeliveriesQuery = {
  /** Only deliveries with this status. `retrying`: pending ones that were attempted before. */
  readonly status?: 'pending' | 'retrying' | 'delivered' | 'failed' | undefined;
  /** Only deliveries of this event. */
  readonly event?: SentEventType | undefined;
  /** Only deliveries whose last attempt your endpoint answered with this status; `none`: did not answer. */
  readonly http_status?: string | undefined;
  /** Only deliveries about this signal. */
  readonly signal_id?: string | undefined;
  /** Only deliveries made after this instant, itself excluded. A bare date means 00:00 UTC. */
  readonly since?: Date | string | undefined;
  /** Results per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** Page number, from 1; `page` × `limit` may reach 10,000. */
  readonly page?: number | undefined;
  /** `meta.next_cursor` of the previous page; instead of `page`. */
  readonly cursor?: string | undefined;
};

/** Parameters of: List events. */
export type ListEventsQuery = {
  /**
   * Where to read on: `meta.next_cursor` of an answer, the id of an event you have (`webhook-id` of a delivery,
   * `id` of a stream), or `latest` for the end of the feed. Without it: from the oldest event kept, or with
   * `order=desc` from the newest.
   */
  readonly after?: string | undefined;
  /** `asc`: oldest first. `desc`: newest first, and `after` reads on to older events. Default: `asc`. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** One kind of event, or several separated by commas; all where it is left out. */
  readonly events?: OneOrMore<WebhookEventType> | undefined;
  /** Only events of signals of this kind, or of several separated by commas. */
  readonly types?: OneOrMore<SignalType> | undefined;
  /**
   * Only events whose signal met all conditions of this object, in JSON, right after the event: as `filter` of
   * `GET /v1/signals`, on the fields that events have.
   */
  readonly filter?: string | undefined;
  /** Only events of this signal. */
  readonly signal_id?: string | undefined;
  /** Results per page. Default: `20`. */
  readonly limit?: number | undefined;
};
