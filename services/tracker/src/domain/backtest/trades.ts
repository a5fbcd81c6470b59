import { type BacktestTrade, invalidRequest, type ListTradesQuery, SigcastError } from '@sigcast/contracts';
import type { BacktestStore, StoredBacktest } from './job.ts';

/**
 * A page of a backtest's trades, by its number or after a cursor. The trades never change, so a cursor is how many are before it.
 * @throws {SigcastError} CONFLICT while the backtest is not completed; INVALID_REQUEST naming `cursor` when no list has given it;
 * SERVICE_UNAVAILABLE.
 */
export async function listTrades(
  backtests: Pick<BacktestStore, 'trades'>,
  backtest: StoredBacktest,
  { limit, page = 1, cursor }: ListTradesQuery,
) {
  const { status, result } = backtest;
  if (result === undefined) {
    throw new SigcastError('CONFLICT', `The backtest is ${status}: only completed ones have trades`);
  }
  const total = result.trades;
  const skip = cursor === undefined ? (page - 1) * limit : skipOf(cursor);
  const data: readonly BacktestTrade[] =
    skip < total ? await backtests.trades(backtest, { skip, limit }) : [];
  const next = skip + limit;
  return {
    data,
    total,
    page: Math.floor(skip / limit) + 1,
    limit,
    nextCursor: next < total ? cursorOf(next) : null,
  };
}

function cursorOf(skip: number): string {
  return Buffer.from(`trade ${skip}`).toString('base64url');
}

function skipOf(cursor: string): number {
  const [, skip] = /^trade (\d{1,5})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (skip === undefined || cursorOf(Number(skip)) !== cursor) {
    throw invalidRequest([
      { field: 'cursor', message: 'must be a meta.next_cursor that this list has given' },
    ]);
  }
  return Number(skip);
}
