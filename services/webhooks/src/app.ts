import { operationsOf, type WebhooksState } from '@sigcast/contracts';
import { type ServiceAppDeps, serveOperations, serviceApp } from '@sigcast/http';
import type { Express } from 'express';
import type { DeliveryLog } from './domain/delivery.ts';
import type { RecoveryStore } from './domain/recovery.ts';
import type { CreateDeps, NameWarning } from './domain/subscription.ts';
import type { HealthLog } from './domain/webhook-health.ts';
import { deliveryHandlers } from './routes/deliveries.ts';
import { eventHandlers, type StreamDeps } from './routes/events.ts';
import { webhookHandlers } from './routes/webhooks.ts';

export type AppDeps = ServiceAppDeps &
  CreateDeps & {
    readonly deliveries: DeliveryLog;
    readonly health: HealthLog;
    readonly recoveries: RecoveryStore;
    readonly nameWarning: NameWarning;
    readonly newEventId: () => string;
    readonly stream: StreamDeps;
    /** Reads what operators see of deliveries and failing subscriptions. */
    readonly systemState: () => Promise<WebhooksState>;
  };

/** Makes the api's HTTP application, which does not listen yet. */
export function createApp(deps: AppDeps): Express {
  return serviceApp(deps, (app) => {
    serveOperations(app, operationsOf('webhooks'), {
      ...webhookHandlers(deps),
      ...deliveryHandlers(deps),
      ...eventHandlers(deps.stream),
    });
  });
}
