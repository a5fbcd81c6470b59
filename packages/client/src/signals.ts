import type { Answer, ListMeta, Page, PageQuery } from './answer.ts';
import { type OneOrMore, queryString } from './query.ts';
import { type CallOptions, segment, type Transport } from './transport.ts';

export type SignalType = 'new' | '3d' | '7d' | '30d' | 'wallet' | 'premium';
export type SignalStatus = 'active' | 'winner' | 'dead' | 'rugged';

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

export type ListSignalsQuery = SignalFilter &
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
    { limit = 100, ...filter }: SignalFilter & { readonly limit?: number } = {},
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
  get(id: string, options?: CallOptions): Promise<Answer<Signal>> {
    return this.#transport.send<Signal>({ method: 'GET', path: `/v1/signals/${segment(id)}` }, options);
  }
}
