import {
  type BacktestParameters,
  type BacktestResult,
  type BacktestStatus,
  type BacktestTrade,
  backtestKeptDays,
  type Idempotency,
} from '@sigcast/contracts';
import type { IndexSpec } from '@sigcast/mongo';

/** A backtest as the collection holds it. */
export type BacktestDocument = {
  /** The backtest's id; ids sort by creation time. */
  _id: string;
  /** Followed by `:deleted` where only its idempotency key is left of it. */
  account: string;
  name: string | null;
  /** The filter is in JSON, because names of a document's fields can't have dots. */
  parameters: Omit<BacktestParameters, 'filter'> & { filter: string | null };
  status: BacktestStatus;
  /** The number of signals that were processed, and of all signals. */
  done: number;
  total: number;
  created_at: Date;
  finished_at?: Date;
  error?: string;
  result?: BacktestResult;
  /** What the ids of its trades begin with, where it has a result. */
  run?: string;
  /** With the account that used the key, also of a deleted backtest. */
  idempotency?: Idempotency & { readonly account: string };
  /**
   * 0 to 2, each once for an account: bounds the unfinished backtests of the account. Once the backtest is finished, this field
   * and the next three are absent.
   */
  slot?: number;
  /** When a process may begin; while a process works on the backtest, the end of its lease. */
  due_at?: Date;
  lease?: string;
  /** How many processes began to work on the backtest and did not say how that ended. */
  tries?: number;
};

export const backtestsCollection = 'backtests';

/**
 * Trades of a backtest, the newest purchase first. They are stored and not computed again, because history is thinned and would
 * give others later. Some hundred are in one document, which is smaller than a document for each, and does not reach the bound
 * of a document as all of them in one could.
 */
export type TradesDocument = {
  /** See {@link tradesId}. The only index but that of time: the trades of a run are a range of it, in order. */
  _id: string;
  /** That of the backtest, so that both are removed together. */
  created_at: Date;
  trades: readonly BacktestTrade[];
};

export const tradesCollection = 'backtest_trades';
export const tradesInDocument = 500;

/** @param run one run of a backtest. Trades of another process that has lost its lease have another one. */
export function tradesId(run: string, n: number): string {
  return `${run}:${String(n).padStart(3, '0')}`;
}

export const backtestIndexNames = { account: 'by_account', due: 'due' } as const;

export const backtestIndexes: readonly IndexSpec[] = [
  { name: backtestIndexNames.account, key: { account: 1, _id: -1 } },
  {
    name: 'account_slot',
    key: { account: 1, slot: 1 },
    unique: true,
    partialFilterExpression: { slot: { $exists: true } },
  },
  {
    name: 'idempotency_key',
    key: { 'idempotency.account': 1, 'idempotency.key': 1 },
    unique: true,
    partialFilterExpression: { 'idempotency.key': { $exists: true } },
  },
  // Partial: finished backtests are not in it.
  {
    name: backtestIndexNames.due,
    key: { due_at: 1 },
    partialFilterExpression: { due_at: { $exists: true } },
  },
  { name: 'kept', key: { created_at: 1 }, expireAfterSeconds: backtestKeptDays * 86_400 },
];

export const tradesIndexes: readonly IndexSpec[] = [
  { name: 'kept', key: { created_at: 1 }, expireAfterSeconds: backtestKeptDays * 86_400 },
];
