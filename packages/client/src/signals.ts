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
  /** The version of the rules, such as `v1`; null where a producer decided. */
  readonly rule: string | null;
  /** When the status changed: `timestamp` of the event. Null where that was not recorded. */
  readonly decided_at: string | null;
  /** When the observations were made that the decision rests on. Empty where a producer decided. */
  readonly observations: readonly string[];
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
  /** Only signals created up to this instant, itself included. */
  readonly until?: Date | string;
  /** Only signals of tokens with exactly this symbol, in upper or lower case. */
  readonly symbol?: string;
  /** Only signals of the token with this contract address. */
  readonly contract?: string;
};

/** More members of signals: `outcome` for who decided the status, by which rule, on which observations. */
export type SignalInclude = { readonly include?: OneOrMore<'outcome'> };

export type ListSignalsQuery = SignalFilter &
  SignalInclude &
  PageQuery & {
    /** `meta.next_cursor` of the page before; in place of `page`. */
    readonly cursor?: string;
  };

/** `sigcast.signals` */
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
   * Every signal that existed when reading began, newest first, each once, whatever arrives meanwhile. One request
   * for each `limit` signals (default 100).
   */
  async *iterate(
    { limit = 100, ...filter }: SignalFilter & SignalInclude & { readonly limit?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<SignalListItem, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page = await this.list({ ...filter, limit, ...(cursor && { cursor }) }, options);
      yield* page.data;
      cursor = page.meta.next_cursor;
    } while (cursor);
  }

  /** One signal. @throws {SigcastError} NOT_FOUND when there is none with that id. */
  get(id: string, { include, ...options }: SignalInclude & CallOptions = {}): Promise<Answer<Signal>> {
    const path = `/v1/signals/${segment(id)}${queryString({ include })}`;
    return this.#transport.send<Signal>({ method: 'GET', path }, options);
  }
}
