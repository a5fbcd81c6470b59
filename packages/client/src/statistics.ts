import type { Answer } from './answer.ts';
import { type OneOrMore, queryString } from './query.ts';
import type { AsOf, SignalStatus, SignalType } from './signals.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The figures of one type. Rates are percent. Without signals all figures are 0. */
export type TypeStatistics = {
  readonly total: number;
  readonly winners: number;
  readonly win_rate: number;
};

/** Percentiles by nearest rank, percent, each within 0.5 % of its exact value. */
export type Percentiles = {
  readonly p10: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly p90: number;
};

/** The distribution of signals. Without signals all figures are 0. */
export type TypeDistribution = {
  /** Signals by their status now. */
  readonly by_status: { readonly [Status in SignalStatus]: number };
  readonly roi: Percentiles;
  readonly ath_roi: Percentiles;
  /** Mean of `time_to_ath_hours`. */
  readonly avg_time_to_ath_hours: number;
  /**
   * How many signals `ath_roi` and `avg_time_to_ath_hours` are made of. Until an operator rebuilds the statistics, signals
   * are missing that have not changed since these figures were introduced.
   */
  readonly ath_signals: number;
};

export type Distribution = TypeDistribution & {
  /** All six types; with a type asked for, that one. */
  readonly by_type: { readonly [Type in SignalType]?: TypeDistribution };
};

/** What a small order by the exit rule earned with these signals, percent after costs. Without such signals all figures are 0. */
export type TypeRealizableStatistics = {
  /** Signals for which the rule had an entry, so that they have `realizable`. */
  readonly signals: number;
  /** Mean of `realizable.roi`. */
  readonly avg_roi: number;
  /** Percent of these signals with a `realizable.roi` above 0. */
  readonly profitable: number;
  readonly roi: Percentiles;
  /** How the orders ended. `open`: not sold, counted with the return of a sale now. */
  readonly by_exit: {
    readonly open: number;
    readonly target: number;
    readonly stop: number;
    readonly end: number;
  };
};

export type RealizableStatistics = TypeRealizableStatistics & {
  /** The version of the exit rule, such as `v1`. Results of other versions are not included. */
  readonly rule: string;
  /** All six types; with a type asked for, that one. */
  readonly by_type: { readonly [Type in SignalType]?: TypeRealizableStatistics };
};

/** Statistics over the signals created in a period. */
export type Statistics = {
  readonly total_signals: number;
  readonly winners: number;
  readonly win_rate: number;
  /** Mean of the current returns. */
  readonly avg_roi: number;
  /** The highest current return. */
  readonly best_roi: number;
  /** All six types; with a type asked for, that one. */
  readonly by_type: { readonly [Type in SignalType]?: TypeStatistics };
  /** With `include: 'distribution'`. */
  readonly distribution?: Distribution | undefined;
  /** With `include: 'realizable'`. */
  readonly realizable?: RealizableStatistics | undefined;
  /** The instant the figures are exact for. */
  readonly as_of: string;
};

export type Period = '24h' | '7d' | '30d' | 'all';

/** The figures of `Statistics` over the signals created in one interval. */
export type StatisticsPoint = {
  /** The start of the hour, day or week in UTC, itself included. Weeks begin on Monday. */
  readonly from: string;
  /** With `include: 'realizable'`. */
  readonly realizable?: Pick<TypeRealizableStatistics, 'signals' | 'avg_roi'> | undefined;
} & Pick<Statistics, 'total_signals' | 'winners' | 'win_rate' | 'avg_roi' | 'best_roi'>;

/** What one point of a series covers. */
export type Interval = 'hour' | 'day' | 'week';

/** Statistics over a period, by time of creation. */
export type StatisticsSeries = {
  readonly period: Period;
  readonly interval: Interval;
  /**
   * Oldest first, without a gap: an interval without signals has zeros. The first point counts only signals created after
   * `as_of` − `period`. The last interval is not over yet.
   */
  readonly points: readonly StatisticsPoint[];
  /** The instant the figures are exact for. */
  readonly as_of: string;
};

type PeriodQuery = {
  readonly type?: SignalType;
  /** Signals created in this time up to now. Default: `all`. */
  readonly period?: Period;
};

export type StatisticsQuery = PeriodQuery &
  AsOf & {
    /**
     * More figures. `distribution`: percentiles, counts by status and the time to the all-time high. `realizable`: what a
     * small order by the exit rule earned; not with `as_of`.
     */
    readonly include?: OneOrMore<'distribution' | 'realizable'>;
  };

export type StatisticsSeriesQuery = PeriodQuery & {
  /**
   * Default: `hour` for the period `24h`, `day` for others, or `week` where there are more than 3,000 days. `hour` does not
   * go with `all`.
   */
  readonly interval?: Interval;
  /** More figures: what a small order by the exit rule earned on average. */
  readonly include?: OneOrMore<'realizable'>;
};

/** `sigcast.stats`: statistics over signals. */
export class Stats {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Statistics over the signals created in a period. */
  get(query: StatisticsQuery = {}, options?: CallOptions): Promise<Answer<Statistics>> {
    return this.#transport.send<Statistics>(
      { method: 'GET', path: `/v1/stats${queryString(query)}` },
      options,
    );
  }

  /** The figures by hour or by day, for charts. */
  series(query: StatisticsSeriesQuery = {}, options?: CallOptions): Promise<Answer<StatisticsSeries>> {
    return this.#transport.send<StatisticsSeries>(
      { method: 'GET', path: `/v1/stats/series${queryString(query)}` },
      options,
    );
  }
}
