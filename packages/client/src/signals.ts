import type { Answer, ListMeta, Page, PageQuery } from './answer.ts';
import { type OneOrMore, queryString } from './query.ts';
import { type CallOptions, segment, type Transport } from './transport.ts';

export type SignalType = 'new' | '3d' | '7d' | '30d' | 'wallet' | 'premium';
export type SignalStatus = 'active' | 'winner' | 'dead' | 'rugged';

/** How a signal's status was decided. */
export type Outcome = {
  readonly status: Exclude<SignalStatus, 'active'>;
  /** `rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal. */
  readonly decided_by: 'rule' | 'producer';
  /**
   * The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator's own; null where a producer
   * decided.
   */
  readonly rule: string | null;
  /** When the status changed: `timestamp` of the event. Null where that was not recorded. */
  readonly decided_at: string;
  /**
   * The times of the observations that the decision rests on. Empty where a producer decided. For `dead`, an observation at
   * which the market does not know the token counts as one without trade.
   */
  readonly observations: readonly string[];
};

/** What an order of 100 US dollars would have earned with a signal, bought and sold by a published rule. */
export type Realizable = {
  /** The version of the exit rule, such as `v1`. */
  readonly rule: string;
  /** Percent after costs; before the exit, as if sold at the newest observation. */
  readonly roi: number;
  /** When the figures of the purchase were observed. */
  readonly entered_at: string;
  /** When the figures of the sale were observed; null before the exit. */
  readonly exited_at: string | null;
  /** Why the order was sold: `target`, `stop`, or `end` of its time; null before the exit. */
  readonly exit: 'target' | 'stop' | 'end' | null;
};

/** A signal in a list. Amounts are US dollars, returns are percent, instants are ISO 8601. */
export type SignalListItem = {
  readonly id: string;
  readonly token: {
    readonly symbol: string;
    readonly name: string;
    readonly contract: string;
    /** Age of the token when the signal was made. */
    readonly age_hours: number;
  };
  readonly metrics: {
    readonly mcap_entry: number;
    readonly mcap_current: number;
    readonly volume_24h: number;
    readonly holders: number;
    readonly liquidity: number;
  };
  readonly performance: {
    readonly roi: number;
    readonly ath_roi: number;
    readonly status: SignalStatus;
  };
  readonly type: SignalType;
  readonly is_premium: boolean;
  readonly created_at: string;
  /** With `include: 'outcome'`; null while the signal is active. */
  readonly outcome?: Outcome | null | undefined;
  /** With `include: 'realizable'`; null where there was no position. */
  readonly realizable?: Realizable | null | undefined;
};

/** A signal with all its fields. */
export type Signal = SignalListItem & {
  readonly token: {
    readonly dex_paid: boolean;
    /** Empty where none is known. */
    readonly socials: {
      readonly twitter: string;
      readonly telegram: string;
      readonly website: string;
    };
  };
  readonly metrics: {
    /** Highest market cap seen since entry. */
    readonly mcap_ath: number;
  };
  readonly performance: {
    /** From `created_at` to the observation of `mcap_ath`. */
    readonly time_to_ath_hours: number;
  };
  readonly updated_at: string;
};

/** Filters for signals. */
export type SignalFilter = {
  readonly type?: OneOrMore<SignalType>;
  readonly status?: OneOrMore<SignalStatus>;
  /** Only signals created after this instant: a date, or ISO 8601 with a time zone. */
  readonly since?: Date | string;
  /** Only signals created up to and including this instant. */
  readonly until?: Date | string;
  /** Only signals of tokens with exactly this symbol, in upper or lower case. */
  readonly symbol?: string;
  /** Only signals of the token with this contract address. */
  readonly contract?: string;
};

/**
 * Asks for what was known at an instant: a date, or ISO 8601 with a time zone, at least a minute ago. `include=outcome` and
 * `include=realizable` do not go with it.
 */
export type AsOf = { readonly as_of?: Date | string };

/**
 * Asks for more members of signals. `outcome`: who decided the status, by which rule, on which observations. `realizable`:
 * what a small order would have earned by the published exit rule.
 */
export type SignalInclude = { readonly include?: OneOrMore<'outcome' | 'realizable'> };

/** What one bucket of a signal's history covers. */
export type Resolution = '1m' | '5m' | '1h' | '1d' | '1w';

/** The first, highest, lowest and last value of a bucket, US dollars. */
export type HistoryFigures = {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
};

export type HistoryBucket = {
  /** Start of the bucket in UTC, itself included. The bucket lasts for `resolution`. */
  readonly start: string;
  /** How many observations the bucket is made of. */
  readonly count: number;
  readonly mcap: HistoryFigures;
  readonly liquidity: HistoryFigures;
};

/** A change of a signal's status: an outcome, with the instant of its figures. */
export type StatusChange = Outcome & {
  /** When the figures at the change were observed. */
  readonly at: string;
};

/** The history of a signal over a range of time. */
export type SignalHistory = {
  readonly id: string;
  /** The start of the range, itself included. */
  readonly from: string;
  /** The end of the range, itself included. */
  readonly until: string;
  readonly resolution: Resolution;
  /** The market cap when the signal was created. */
  readonly entry: { readonly at: string; readonly mcap: number };
  /** The highest market cap since then, of all time. */
  readonly ath: { readonly at: string; readonly mcap: number };
  readonly status: SignalStatus;
  /** Oldest first. A bucket without observations is left out. */
  readonly buckets: readonly HistoryBucket[];
  /** Every known change of the status, oldest first, also outside the range. */
  readonly changes: readonly StatusChange[];
};

export type SignalHistoryQuery = {
  /** A date, or ISO 8601 with a time zone. Default: the signal's creation. */
  readonly from?: Date | string;
  /** A date, or ISO 8601 with a time zone. Default: now. */
  readonly until?: Date | string;
  /** Default: the finest resolution with at most 500 buckets. */
  readonly resolution?: Resolution;
};

export type ListSignalsQuery = SignalFilter &
  SignalInclude &
  AsOf &
  PageQuery & {
    /** `meta.next_cursor` of the page before; in place of `page`. */
    readonly cursor?: string;
  };

/** `sigcast.signals`: signals and their history. */
export class Signals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page of signals, newest first. */
  list(query: ListSignalsQuery = {}, options?: CallOptions): Promise<Page<SignalListItem>> {
    const path = `/v1/signals${queryString(query)}`;
    return this.#transport.send<readonly SignalListItem[], ListMeta>({ method: 'GET', path }, options);
  }

  /**
   * Every signal that existed when reading began, newest first, each exactly once, even while new signals arrive. One
   * request for each `limit` signals (default 100).
   */
  async *iterate(
    { limit = 100, ...filter }: SignalFilter & SignalInclude & AsOf & { readonly limit?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<SignalListItem, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page = await this.list({ ...filter, limit, ...(cursor && { cursor }) }, options);
      yield* page.data;
      cursor = page.meta.next_cursor;
    } while (cursor);
  }

  /** One signal. @throws {SigcastError} NOT_FOUND when no signal has that id, or none was known at `as_of`. */
  get(
    id: string,
    { include, as_of, ...options }: SignalInclude & AsOf & CallOptions = {},
  ): Promise<Answer<Signal>> {
    const path = `/v1/signals/${segment(id)}${queryString({ include, as_of })}`;
    return this.#transport.send<Signal>({ method: 'GET', path }, options);
  }

  /**
   * The market cap and the liquidity of a signal over time, for charts.
   * @throws {SigcastError} NOT_FOUND when no history of that id is recorded, which is also so for the first moment of a
   * signal.
   */
  history(id: string, query: SignalHistoryQuery = {}, options?: CallOptions): Promise<Answer<SignalHistory>> {
    const path = `/v1/signals/${segment(id)}/history${queryString(query)}`;
    return this.#transport.send<SignalHistory>({ method: 'GET', path }, options);
  }
}
