import { createApp as createBaseApp, finishApp, type HealthChecks, healthRoutes } from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';

export type AppDeps = {
  readonly checks: HealthChecks;
  /** Shown in the readiness; without these the service stays ready. */
  readonly reportedChecks: HealthChecks;
  readonly log: Logger;
  readonly accessLogShare?: number;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const app = createBaseApp(deps.log, { accessLogShare: deps.accessLogShare });
  healthRoutes(app, deps.checks, deps.reportedChecks);
  return finishApp(app, deps.log);
}
