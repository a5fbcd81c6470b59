import {
  createApp as createHttpApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  jsonBody,
  requireGatewayIdentity,
  resource,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import type { DeliveryLog } from './domain/delivery.ts';
import type { CreateDeps } from './domain/subscription.ts';
import { createWebhook } from './routes/create-webhook.ts';
import { deleteWebhook } from './routes/delete-webhook.ts';
import { getDelivery } from './routes/get-delivery.ts';
import { getWebhook } from './routes/get-webhook.ts';
import { listDeliveries } from './routes/list-deliveries.ts';
import { listWebhooks } from './routes/list-webhooks.ts';

export type AppDeps = CreateDeps & {
  readonly deliveries: DeliveryLog;
  readonly verifyGateway: IdentityVerifier;
  readonly checks: HealthChecks;
  readonly log: Logger;
};

/** The api's HTTP application; it never listens by itself. */
export function createApp(deps: AppDeps): Express {
  const { subscriptions, deliveries, log } = deps;
  const app = createHttpApp(log);
  healthRoutes(app, deps.checks);
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway));
  resource(app, '/v1/webhooks', {
    GET: listWebhooks(subscriptions),
    POST: [...jsonBody, createWebhook(deps)],
  });
  resource(app, '/v1/webhooks/:webhookId', {
    GET: getWebhook(subscriptions),
    DELETE: deleteWebhook(subscriptions),
  });
  resource(app, '/v1/webhooks/:webhookId/deliveries', { GET: listDeliveries(subscriptions, deliveries) });
  resource(app, '/v1/webhooks/:webhookId/deliveries/:deliveryId', {
    GET: getDelivery(subscriptions, deliveries),
  });
  return finishApp(app, log);
}
