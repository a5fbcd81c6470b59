import { createBacktestSchema } from '@sigcast/contracts';
import { idempotencyOf, identityOf, parseBody, sendData } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import type { RequestHandler } from 'express';
import { type CreateBacktestDeps, createBacktest, toBacktest } from '../domain/backtest/job.ts';

/** `POST /v1/backtests` */
export function createBacktestRoute(deps: Omit<CreateBacktestDeps, 'newId'>): RequestHandler {
  return async (req, res) => {
    const body = await parseBody(createBacktestSchema, req);
    const idempotency = idempotencyOf(req, body, deps.now());
    const request = { account: identityOf(req).subject, body, idempotency };
    const backtest = await createBacktest(request, { ...deps, newId: () => newId('bt') });
    sendData(res, toBacktest(backtest), 201);
  };
}
