import { identityOf, noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { BacktestStore } from '../domain/backtest/job.ts';
import { unknownBacktest } from './get-backtest.ts';

/** `DELETE /v1/backtests/{id}`: a process that works on it notices within seconds. */
export function deleteBacktestRoute(backtests: BacktestStore): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const id = String(req.params.backtestId);
    if (!(await backtests.remove(identityOf(req).subject, id))) throw unknownBacktest();
    sendData(res, { id, deleted: true });
  };
}
