import { systemReadScope } from '@sigcast/contracts';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import { createApp } from './app.ts';
import { finishApp } from './errors.ts';
import { type Health, healthRoutes } from './health.ts';
import { type IdentityVerifier, requireGatewayIdentity, requireScope } from './identity.ts';
import { noStore, sendData } from './respond.ts';
import { resource } from './routes.ts';
import { noQuery } from './validate.ts';

/** What the application of every service needs. */
export type ServiceAppDeps = Pick<Health, 'checks' | 'reportedChecks'> & {
  readonly verifyGateway: IdentityVerifier;
  /** Reads what operators see of the service, which the gateway shows them. Without it there is nothing to see. */
  readonly systemState?: () => Promise<object>;
  readonly log: Logger;
  readonly accessLogShare?: number;
};

/** A service's HTTP application, not listening, with the routes that `add` adds. Below `/v1` it answers only the gateway. */
export function serviceApp(deps: ServiceAppDeps, add: (app: Express) => void): Express {
  const { verifyGateway, systemState, checks, reportedChecks = {}, log, accessLogShare } = deps;
  const app = createApp(log, { accessLogShare });
  app.use('/v1', requireGatewayIdentity(verifyGateway));
  add(app);
  if (systemState) {
    resource(app, '/internal/v1/state', {
      GET: [
        requireScope(verifyGateway, systemReadScope),
        noStore,
        async (req, res) => {
          noQuery(req);
          sendData(res, await systemState());
        },
      ],
    });
  }
  healthRoutes(app, { checks, reportedChecks });
  return finishApp(app, log);
}
