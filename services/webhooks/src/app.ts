import { systemReadScope, type WebhooksState } from '@sigcast/contracts';
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
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import type { DeliveryLog } from './domain/delivery.ts';
import type { EventFeed } from './domain/feed.ts';
import type { RecoveryStore } from './domain/recovery.ts';
import type { CreateDeps, NameWarning } from './domain/subscription.ts';
import type { HealthLog } from './domain/webhook-health.ts';
import { createWebhook } from './routes/create-webhook.ts';
import { deleteWebhook } from './routes/delete-webhook.ts';
import { getDelivery } from './routes/get-delivery.ts';
import { getHealth } from './routes/get-health.ts';
import { getState } from './routes/get-state.ts';
import { getWebhook } from './routes/get-webhook.ts';
import { listDeliveries } from './routes/list-deliveries.ts';
import { listEvents } from './routes/list-events.ts';
import { listWebhooks } from './routes/list-webhooks.ts';
import { recoverWebhook } from './routes/recover-webhook.ts';
import { retryDelivery } from './routes/retry-delivery.ts';
import { rotateWebhookSecret } from './routes/rotate-secret.ts';
import { type StreamDeps, streamEvents } from './routes/stream-events.ts';
import { testWebhook } from './routes/test-webhook.ts';
import { updateWebhook } from './routes/update-webhook.ts';

export type AppDeps = CreateDeps & {
  readonly deliveries: DeliveryLog;
  readonly health: HealthLog;
  readonly recoveries: RecoveryStore;
  readonly nameWarning: NameWarning;
  readonly newEventId: () => string;
  readonly feed: EventFeed;
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
  const { subscriptions, deliveries, now, log } = deps;
  const app = createHttpApp(log, { accessLogShare: deps.accessLogShare });
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway), noStore);
  resource(app, '/v1/webhooks', {
    GET: listWebhooks(subscriptions, now),
    POST: createWebhook(deps),
  });
  resource(app, '/v1/webhooks/:webhookId', {
    GET: getWebhook(subscriptions, now),
    PATCH: updateWebhook(deps),
    DELETE: deleteWebhook(subscriptions),
  });
  resource(app, '/v1/webhooks/:webhookId/rotate-secret', { POST: rotateWebhookSecret(deps) });
  resource(app, '/v1/webhooks/:webhookId/test', { POST: testWebhook(deps) });
  resource(app, '/v1/webhooks/:webhookId/recover', { POST: recoverWebhook(deps) });
  resource(app, '/v1/webhooks/:webhookId/health', { GET: getHealth(subscriptions, deps.health) });
  resource(app, '/v1/webhooks/:webhookId/deliveries', { GET: listDeliveries(subscriptions, deliveries) });
  resource(app, '/v1/webhooks/:webhookId/deliveries/:deliveryId', {
    GET: getDelivery(subscriptions, deliveries),
  });
  resource(app, '/v1/webhooks/:webhookId/deliveries/:deliveryId/retry', {
    POST: retryDelivery(deps),
  });
  resource(app, '/v1/events', { GET: listEvents(deps.feed) });
  resource(app, '/v1/stream', { GET: streamEvents(deps.stream) });
  resource(app, '/internal/v1/state', {
    GET: [requireScope(deps.verifyGateway, systemReadScope), noStore, getState(deps.systemState)],
  });
  healthRoutes(app, { checks: deps.checks });
  return finishApp(app, log);
}
