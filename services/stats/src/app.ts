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
import type { SeriesStore, StatisticsStore } from './domain/ports.ts';
import { statisticsHandlers } from './routes/statistics.ts';

export type AppDeps = {
  readonly store: StatisticsStore & SeriesStore;
  readonly verifyGateway: IdentityVerifier;
  readonly checks: HealthChecks;
  /** Shown in the readiness; without these the service stays ready. */
  readonly reportedChecks: HealthChecks;
  readonly log: Logger;
  readonly accessLogShare?: number;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const app = createBaseApp(deps.log, { accessLogShare: deps.accessLogShare });
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway));
  serveOperations(app, operationsOf('stats'), statisticsHandlers(deps.store));
  healthRoutes(app, { checks: deps.checks, reportedChecks: deps.reportedChecks });
  return finishApp(app, deps.log);
}
