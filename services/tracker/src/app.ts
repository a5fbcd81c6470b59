import {
  createApp as createBaseApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  noStore,
  requireGatewayIdentity,
  resource,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express, RequestHandler } from 'express';
import type { BacktestStore } from './domain/backtest/job.ts';
import type { BacktestHistory } from './domain/backtest/run-backtest.ts';
import type { PastStore } from './domain/past.ts';
import type { HistoryStore } from './domain/ports.ts';
import { createBacktestRoute } from './routes/create-backtest.ts';
import { deleteBacktestRoute } from './routes/delete-backtest.ts';
import { getBacktestRoute } from './routes/get-backtest.ts';
import { getHistoryRoute } from './routes/get-history.ts';
import { getPastSignalRoute } from './routes/get-past-signal.ts';
import { getPastStatisticsRoute } from './routes/get-past-statistics.ts';
import { listBacktestsRoute } from './routes/list-backtests.ts';
import { listPastSignalsRoute } from './routes/list-past-signals.ts';

export type AppDeps = {
  readonly history: HistoryStore;
  readonly past: PastStore;
  readonly backtests: BacktestStore;
  readonly backtestHistory: Pick<BacktestHistory, 'count'>;
  readonly verifyGateway: IdentityVerifier;
  /** A test may pass another clock. */
  readonly now?: () => Date;
  readonly checks: HealthChecks;
  /** Shown in the readiness; without these the service stays ready. */
  readonly reportedChecks: HealthChecks;
  readonly log: Logger;
  readonly accessLogShare?: number;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const app = createBaseApp(deps.log, { accessLogShare: deps.accessLogShare });
  const now = deps.now ?? (() => new Date());
  const get = (path: string, route: RequestHandler) =>
    resource(app, path, { GET: [requireGatewayIdentity(deps.verifyGateway), route] });
  get('/v1/signals/:id/history', getHistoryRoute(deps.history, now) as RequestHandler);
  const own = [requireGatewayIdentity(deps.verifyGateway), noStore];
  const { backtests } = deps;
  resource(app, '/v1/backtests', {
    GET: [...own, listBacktestsRoute(backtests)],
    POST: [...own, createBacktestRoute({ backtests, history: deps.backtestHistory, now })],
  });
  resource(app, '/v1/backtests/:backtestId', {
    GET: [...own, getBacktestRoute(backtests)],
    DELETE: [...own, deleteBacktestRoute(backtests)],
  });
  // The gateway forwards these only where they have `as_of`.
  get('/v1/signals', listPastSignalsRoute(deps.past, now));
  get('/v1/signals/:id', getPastSignalRoute(deps.past, now) as RequestHandler);
  get('/v1/stats', getPastStatisticsRoute(deps.past, now));
  healthRoutes(app, { checks: deps.checks, reportedChecks: deps.reportedChecks });
  return finishApp(app, deps.log);
}
