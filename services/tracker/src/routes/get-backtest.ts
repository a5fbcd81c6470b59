import { SigcastError } from '@sigcast/contracts';
import { identityOf, noQuery, sendTagged } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type BacktestStore, toBacktest } from '../domain/backtest/job.ts';

/** `GET /v1/backtests/{id}` */
export function getBacktestRoute(backtests: BacktestStore): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const found = await backtests.find(identityOf(req).subject, String(req.params.backtestId));
    if (found === undefined) throw unknownBacktest();
    sendTagged(res, { success: true, data: toBacktest(found) });
  };
}

/** The error where the caller has no such backtest, also when another account has it. */
export function unknownBacktest(): SigcastError {
  return new SigcastError('NOT_FOUND', 'There is no such backtest');
}
