import {
  createApp as createBaseApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  requireGatewayIdentity,
  resource,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express, RequestHandler } from 'express';
import type { HistoryStore } from './domain/ports.ts';
import { getHistoryRoute } from './routes/get-history.ts';

export type AppDeps = {
  readonly history: HistoryStore;
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
  const history = getHistoryRoute(deps.history, deps.now ?? (() => new Date()));
  resource(app, '/v1/signals/:id/history', {
    GET: [requireGatewayIdentity(deps.verifyGateway), history as RequestHandler],
  });
  healthRoutes(app, deps.checks, deps.reportedChecks);
  return finishApp(app, deps.log);
}
