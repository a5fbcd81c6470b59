import { pageQuerySchema } from '@sigcast/contracts';
import { identityOf, listMeta, parseQuery, sendList } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type BacktestStore, toListedBacktest } from '../domain/backtest/job.ts';

/** `GET /v1/backtests` */
export function listBacktestsRoute(backtests: BacktestStore): RequestHandler {
  return async (req, res) => {
    const { page, limit } = parseQuery(pageQuerySchema, req);
    const { total, items } = await backtests.list(identityOf(req).subject, {
      ...{ skip: (page - 1) * limit, limit },
    });
    sendList(req, res, items.map(toListedBacktest), listMeta({ total, page, limit }));
  };
}
