import { type OperationOf, SigcastError } from '@sigcast/contracts';
import { idempotencyOf, identityOf, listMeta, type OperationHandlers } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import {
  type CreateBacktestDeps,
  createBacktest,
  toBacktest,
  toListedBacktest,
} from '../domain/backtest/job.ts';
import { listTrades } from '../domain/backtest/trades.ts';

/** Answers the operations of an account's backtests. */
export function backtestHandlers(deps: Omit<CreateBacktestDeps, 'newId'>) {
  const { backtests } = deps;
  return {
    createBacktest: async ({ body: read, req }) => {
      const body = await read();
      const idempotency = idempotencyOf(req, body, deps.now());
      const request = { account: identityOf(req).subject, body, idempotency };
      return { data: toBacktest(await createBacktest(request, { ...deps, newId: () => newId('bt') })) };
    },
    listBacktests: async ({ query: { page, limit }, req }) => {
      const { total, items } = await backtests.list(identityOf(req).subject, {
        skip: (page - 1) * limit,
        limit,
      });
      return { data: items.map(toListedBacktest), meta: listMeta({ total, page, limit }) };
    },
    getBacktest: async ({ path, req }) => {
      const found = await backtests.find(identityOf(req).subject, path.backtest_id);
      if (found === undefined) throw unknownBacktest();
      return { data: toBacktest(found) };
    },
    listBacktestTrades: async ({ path, query, req }) => {
      const found = await backtests.find(identityOf(req).subject, path.backtest_id);
      if (found === undefined) throw unknownBacktest();
      const { data, ...page } = await listTrades(backtests, found, query);
      return { data, meta: listMeta(page) };
    },
    // A process that works on it notices within seconds.
    deleteBacktest: async ({ path: { backtest_id: id }, req }) => {
      if (!(await backtests.remove(identityOf(req).subject, id))) throw unknownBacktest();
      return { data: { id, deleted: true } };
    },
  } satisfies Partial<OperationHandlers<OperationOf<'tracker'>>>;
}

/** The error where the caller has no such backtest, also when another account has it. */
function unknownBacktest(): SigcastError {
  return new SigcastError('NOT_FOUND', 'There is no such backtest');
}
