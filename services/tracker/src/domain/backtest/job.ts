import {
  type Backtest,
  type BacktestListItem,
  type BacktestParameters,
  type BacktestResult,
  type BacktestStatus,
  type BacktestSummary,
  type BacktestTrade,
  type CreateBacktest,
  type Idempotency,
  invalidRequest,
  makeOnce,
  maxBacktestSignals,
  maxBacktests,
  maxUnfinishedBacktests,
  SigcastError,
} from '@sigcast/contracts';
import { toParameters } from './parameters.ts';
import { type BacktestHistory, filterOf } from './run-backtest.ts';

/** What only a result by itself has. */
type Curves = Pick<BacktestResult, 'histogram' | 'equity'>;

/** A backtest as it is stored. */
export type StoredBacktest = {
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  readonly parameters: BacktestParameters;
  readonly status: BacktestStatus;
  /** The number of signals that were processed, and of all signals. */
  readonly done: number;
  readonly total: number;
  readonly createdAt: Date;
  readonly finishedAt?: Date | undefined;
  readonly error?: string | undefined;
  /** In lists it has no {@link Curves}. */
  readonly result?: (BacktestSummary & Partial<Curves>) | undefined;
  /** The run that its result and its trades are of. */
  readonly run?: string | undefined;
};

/** Where backtests are stored. Methods throw SERVICE_UNAVAILABLE while the store can't be reached. */
export type BacktestStore = {
  /**
   * Why an account can have no further backtest. `busy`: it has {@link maxUnfinishedBacktests}. `full`: it has
   * {@link maxBacktests}. `key-used`: the idempotency key belongs to another backtest.
   */
  refusal(account: string, key: string | undefined): Promise<'busy' | 'full' | 'key-used' | undefined>;
  /** Stores a backtest that waits for its turn, or says why not, also under concurrent inserts. */
  insert(
    backtest: StoredBacktest,
    idempotency: Idempotency | undefined,
  ): Promise<'stored' | 'busy' | 'full' | 'key-used'>;
  byIdempotencyKey(
    account: string,
    key: string,
  ): Promise<{ readonly made: StoredBacktest; readonly idempotency: Idempotency } | undefined>;
  /** Removes an idempotency key that is no longer remembered. */
  releaseKey(id: string, key: string): Promise<void>;
  find(account: string, id: string): Promise<StoredBacktest | undefined>;
  /** Newest first, without what only a result by itself has. */
  list(
    account: string,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly items: readonly StoredBacktest[] }>;
  /** Some trades of a completed backtest, which never change; the newest purchase first. */
  trades(
    backtest: StoredBacktest,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<readonly BacktestTrade[]>;
  /** @returns false when there is no such backtest. */
  remove(account: string, id: string): Promise<boolean>;
};

export type CreateBacktestDeps = {
  readonly backtests: BacktestStore;
  readonly history: Pick<BacktestHistory, 'count'>;
  readonly newId: () => string;
  readonly now: () => Date;
};

/**
 * Stores the backtest that a request asks for. A request with the same idempotency key and body within 24 hours gets the first
 * backtest.
 * @throws {SigcastError} INVALID_REQUEST naming each member that is wrong; CONFLICT for a key that was used with another body
 * and beyond the bounds of an account; SERVICE_UNAVAILABLE.
 */
export async function createBacktest(
  request: {
    readonly account: string;
    readonly body: CreateBacktest;
    readonly idempotency: Idempotency | undefined;
  },
  { backtests, history, newId, now }: CreateBacktestDeps,
): Promise<StoredBacktest> {
  const { account, body } = request;
  const createdAt = now();
  return makeOnce(request.idempotency, {
    byKey: (key) => backtests.byIdempotencyKey(account, key),
    releaseKey: ({ id }, key) => backtests.releaseKey(id, key),
    insert: async (idempotency) => {
      const parameters = toParameters(body, createdAt);
      const refusal = await backtests.refusal(account, idempotency?.key);
      if (refusal !== undefined) return orConflict(refusal);
      const total = await history.count(filterOf(parameters), maxBacktestSignals + 1);
      if (total > maxBacktestSignals) throw tooManySignals();
      const backtest = {
        id: newId(),
        account,
        name: body.name ?? null,
        parameters,
        createdAt,
        done: 0,
        total,
        status: 'queued' as const,
      };
      const outcome = await backtests.insert(backtest, idempotency);
      return outcome === 'stored' ? backtest : orConflict(outcome);
    },
  });
}

const refusals = {
  busy: `An account can have at most ${maxUnfinishedBacktests} unfinished backtests: wait until one is finished, or delete one`,
  full: `An account can have at most ${maxBacktests} backtests: delete one`,
};

function orConflict(refusal: 'busy' | 'full' | 'key-used'): 'key-used' {
  if (refusal !== 'key-used') throw new SigcastError('CONFLICT', refusals[refusal]);
  return refusal;
}

function tooManySignals(): SigcastError {
  const message = `leaves more than ${maxBacktestSignals} signals, which is the most of a backtest: choose a shorter time, or fewer types`;
  return invalidRequest([{ field: 'filters.since', message }]);
}

/** A backtest as its account sees it. */
export function toBacktest(backtest: StoredBacktest): Backtest {
  const { result } = backtest;
  const { histogram, equity } = result ?? {};
  const isWhole = result && histogram && equity;
  return { ...publicFields(backtest), result: isWhole ? { ...result, histogram, equity } : null };
}

/** The same in a list. */
export function toListedBacktest(backtest: StoredBacktest): BacktestListItem {
  if (backtest.result === undefined) return { ...publicFields(backtest), result: null };
  const { histogram: _histogram, equity: _equity, ...result } = backtest.result;
  return { ...publicFields(backtest), result };
}

function publicFields(backtest: StoredBacktest) {
  const { id, name, status, done, total, parameters, error, createdAt, finishedAt } = backtest;
  return {
    id,
    name,
    status,
    progress: { done, total },
    parameters,
    error: error ?? null,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
