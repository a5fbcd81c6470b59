import { operationsOf, systemReadScope, type WebhooksState } from '@sigcast/contracts';
import {
  createApp as createHttpApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  noStore,
  requireGatewayIdentity,
  requireScope,
  resource,
  serveOperations,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import type { DeliveryLog } from './domain/delivery.ts';
import type { RecoveryStore } from './domain/recovery.ts';
import type { CreateDeps, NameWarning } from './domain/subscription.ts';
import type { HealthLog } from './domain/webhook-health.ts';
import { deliveryHandlers } from './routes/deliveries.ts';
import { eventHandlers, type StreamDeps } from './routes/events.ts';
import { getState } from './routes/get-state.ts';
import { webhookHandlers } from './routes/webhooks.ts';

export type AppDeps = CreateDeps & {
  readonly deliveries: DeliveryLog;
  readonly health: HealthLog;
  readonly recoveries: RecoveryStore;
  readonly nameWarning: NameWarning;
  readonly newEventId: () => string;
  readonly stream: StreamDeps;
  readonly verifyGateway: IdentityVerifier;
  /** Reads what operators see of deliveries and failing subscriptions. */
  readonly systemState: () => Promise<WebhooksState>;
  readonly checks: HealthChecks;
  readonly log: Logger;
  readonly accessLogShare?: number;
};

/** Makes the api's HTTP application, which does not listen yet. */
export function createApp(deps: AppDeps): Express {
  const { log } = deps;
  const app = createHttpApp(log, { accessLogShare: deps.accessLogShare });
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway));
  serveOperations(app, operationsOf('webhooks'), {
    ...webhookHandlers(deps),
    ...deliveryHandlers(deps),
    ...eventHandlers(deps.stream),
  });
  resource(app, '/internal/v1/state', {
    GET: [requireScope(deps.verifyGateway, systemReadScope), noStore, getState(deps.systemState)],
  });
  healthRoutes(app, { checks: deps.checks });
  return finishApp(app, log);
}
