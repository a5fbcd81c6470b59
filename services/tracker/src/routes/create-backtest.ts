import { createBacktestSchema } from '@sigcast/contracts';
import { idempotencyHeader, identityOf, parseBody, sendData } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import type { RequestHandler } from 'express';
import { type CreateBacktestDeps, createBacktest, toBacktest } from '../domain/backtest/job.ts';

/** `POST /v1/backtests` */
export function createBacktestRoute(deps: Omit<CreateBacktestDeps, 'newId'>): RequestHandler {
  return async (req, res) => {
    const body = parseBody(createBacktestSchema, req);
    const request = { account: identityOf(req).subject, body, idempotencyKey: idempotencyHeader(req) };
    const backtest = await createBacktest(request, { ...deps, newId: () => newId('bt') });
    sendData(res, toBacktest(backtest), 201);
  };
}
