import type { Answer, ListMeta, Page, PageQuery } from './answer.ts';
import {
  type Backtest,
  BacktestFailedError,
  type BacktestListItem,
  type CompletedBacktest,
  type CreateBacktest,
} from './backtest.ts';
import { queryString } from './query.ts';
import { type CallOptions, segment, type Transport } from './transport.ts';
import { backoffMs } from './wait.ts';

/** The first and the longest pause before a backtest is fetched again, in milliseconds: about 15 requests in a minute. */
const pauses = { firstMs: 500, maxMs: 5_000 };

export type CreateBacktestOptions = CallOptions & {
  /** Calls with the same key create one backtest, also across a restart of your program. Default: a new key for each call. */
  readonly idempotencyKey?: string;
};

export type RunBacktestOptions = CreateBacktestOptions & {
  /** Called with the backtest after it is created, and each time it is fetched. */
  readonly onProgress?: (backtest: Backtest) => void;
};

/** `sigcast.backtests`: strategies tried on signals of the past. */
export class Backtests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A page of your backtests, newest first. Their results have no equity curve. */
  list(query: PageQuery = {}, options?: CallOptions): Promise<Page<BacktestListItem>> {
    const path = `/v1/backtests${queryString(query)}`;
    return this.#transport.send<readonly BacktestListItem[], ListMeta>({ method: 'GET', path }, options);
  }

  /**
   * Starts a backtest, which the API then computes by itself.
   * @throws {SigcastError} CONFLICT when you have three unfinished backtests, or 100 in all.
   */
  create(backtest: CreateBacktest, options: CreateBacktestOptions = {}): Promise<Answer<Backtest>> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    const call = { method: 'POST', path: '/v1/backtests', body: backtest, idempotencyKey } as const;
    return this.#transport.send<Backtest>(call, signal && { signal });
  }

  /** A backtest with its progress, and with its result once it is completed. */
  get(id: string, options?: CallOptions): Promise<Answer<Backtest>> {
    return this.#transport.send<Backtest>({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Deletes a backtest, also while it is running. If an answer is lost, the retry may get NOT_FOUND. */
  delete(
    id: string,
    options?: CallOptions,
  ): Promise<Answer<{ readonly id: string; readonly deleted: true }>> {
    return this.#transport.send({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /**
   * Starts a backtest and waits until it is completed, however long that takes. When `signal` aborts, or the API can no
   * longer be reached, only the waiting ends: a later call with the same `idempotencyKey` waits for the same backtest.
   * @throws {BacktestFailedError} when the backtest failed; otherwise as `create` and `get` do.
   */
  async run(
    backtest: CreateBacktest,
    { onProgress, ...options }: RunBacktestOptions = {},
  ): Promise<Answer<CompletedBacktest>> {
    const { signal } = options;
    const { pause, random } = this.#transport.surroundings;
    let answer = await this.create(backtest, options);
    onProgress?.(answer.data);
    for (let fetched = 1; !isOver(answer.data); fetched++) {
      await pause(backoffMs(fetched, { ...pauses, random }), signal);
      answer = await this.get(answer.data.id, signal && { signal });
      onProgress?.(answer.data);
    }
    const { data } = answer;
    if (!isCompleted(data)) throw new BacktestFailedError(data);
    return { ...answer, data };
  }
}

function isOver({ status }: Backtest): boolean {
  return status === 'completed' || status === 'failed';
}

function isCompleted(backtest: Backtest): backtest is CompletedBacktest {
  return backtest.status === 'completed' && backtest.result !== null;
}

function pathOf(id: string): string {
  return `/v1/backtests/${segment(id)}`;
}
