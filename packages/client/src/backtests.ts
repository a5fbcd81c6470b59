import type { Answer } from './answer.ts';
import { Backtests as BacktestCalls } from './generated/calls.ts';
import type { Backtest, BacktestResult, CreateBacktest } from './generated/types.ts';
import type { IdempotentOptions } from './transport.ts';
import { backoffMs } from './wait.ts';

/** The first and the longest pause before a backtest is fetched again, in milliseconds: about 15 requests in a minute. */
const pauses = { firstMs: 500, maxMs: 5_000 };

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

export type RunBacktestOptions = IdempotentOptions & {
  /** Called with the backtest after it is created, and each time it is fetched. */
  readonly onProgress?: (backtest: Backtest) => void;
};

/** `sigcast.backtests`: strategies tried on signals of the past. */
export class Backtests extends BacktestCalls {
  /**
   * Starts a backtest and waits until it is completed, however long that takes. When `signal` aborts, or the API can no
   * longer be reached, only the waiting ends: a later call with the same `idempotencyKey` waits for the same backtest.
   * @throws {BacktestFailedError} when the backtest failed; otherwise as `create` and `get` do.
   */
  async run(
    strategy: CreateBacktest,
    { onProgress, ...options }: RunBacktestOptions = {},
  ): Promise<Answer<CompletedBacktest>> {
    const { signal } = options;
    const { pause, random } = this.transport.surroundings;
    let answer = await this.create(strategy, options);
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
