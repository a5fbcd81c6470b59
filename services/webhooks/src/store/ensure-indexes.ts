import { startIndexes } from '@sigcast/mongo';
import type { Logger, Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { deliveryIndexes, eventIndexes, subscriptionIndexes } from './documents.ts';

/** Creates the service's indexes; both processes do, whichever starts first. */
export function ensureWebhookIndexes(
  connection: Connection,
  log: Logger,
  resources: Resources,
): Promise<void> {
  const indexes = { subscriptions: subscriptionIndexes, events: eventIndexes, deliveries: deliveryIndexes };
  return startIndexes(connection, indexes, log, resources);
}
