import { type IndexSpec, startIndexes } from '@sigcast/mongo';
import type { Logger, Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { deletedSubscriptionIndexes, deliveryIndexes, eventIndexes, subscriptionIndexes } from './indexes.ts';

/** The indexes of the service's collections. */
export const webhookIndexes = {
  subscriptions: subscriptionIndexes,
  deleted_subscriptions: deletedSubscriptionIndexes,
  events: eventIndexes,
  deliveries: deliveryIndexes,
} satisfies Record<string, readonly IndexSpec[]>;

/** Creates the service's indexes; both processes do, whichever starts first. */
export function ensureWebhookIndexes(
  connection: Connection,
  log: Logger,
  resources: Resources,
): Promise<void> {
  return startIndexes(connection, webhookIndexes, log, resources);
}
