import { ensureIndexes } from '@sigcast/mongo';
import type { Connection } from 'mongoose';
import { deliveryIndexes, eventIndexes, subscriptionIndexes } from './documents.ts';

/** Creates the service's indexes; both processes do, whichever starts first. */
export async function ensureWebhookIndexes(connection: Connection): Promise<void> {
  await ensureIndexes(connection, 'subscriptions', subscriptionIndexes);
  await ensureIndexes(connection, 'events', eventIndexes);
  await ensureIndexes(connection, 'deliveries', deliveryIndexes);
}
