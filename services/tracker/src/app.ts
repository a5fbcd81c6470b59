import { operationsOf } from '@sigcast/contracts';
import {
  createApp as createBaseApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  requireGatewayIdentity,
  serveOperations,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import type { BacktestStore } from './domain/backtest/job.ts';
import type { BacktestHistory } from './domain/backtest/run-backtest.ts';
import type { PastStore } from './domain/past.ts';
import type { HistoryStore } from './domain/ports.ts';
import { backtestHandlers } from './routes/backtests.ts';
import { signalHandlers } from './routes/signals.ts';

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
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway));
  serveOperations(app, operationsOf('tracker'), {
    ...signalHandlers({ ...deps, now }),
    ...backtestHandlers({ backtests: deps.backtests, history: deps.backtestHistory, now }),
  });
  healthRoutes(app, { checks: deps.checks, reportedChecks: deps.reportedChecks });
  return finishApp(app, deps.log);
}
