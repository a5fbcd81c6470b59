import type { Answer } from './answer.ts';
import { queryString } from './query.ts';
import type { SignalType } from './signals.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Rates and returns are percent; 0 where there are no signals. */
export type TypeStatistics = {
  readonly total: number;
  readonly winners: number;
  readonly win_rate: number;
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
  /** The instant the figures are exact for. */
  readonly as_of: string;
};

export type Period = '24h' | '7d' | '30d' | 'all';

export type StatisticsQuery = {
  readonly type?: SignalType;
  /** Signals created in this time up to now; `all` where it is left out. */
  readonly period?: Period;
};

/** `sigcast.stats` */
export class Stats {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(query: StatisticsQuery = {}, options?: CallOptions): Promise<Answer<Statistics>> {
    return this.#transport.send<Statistics>(
      { method: 'GET', path: `/v1/stats${queryString(query)}` },
      options,
    );
  }
}
