import { SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import type { DeliveryLog, DeliveryRecord } from '../domain/delivery.ts';
import type { Subscription, SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/**
 * The delivery in the path, and its webhook.
 * @throws {SigcastError} NOT_FOUND when the caller has no such delivery.
 */
export async function ownDelivery(
  subscriptions: SubscriptionStore,
  log: DeliveryLog,
  req: Request,
): Promise<{ readonly record: DeliveryRecord; readonly webhook: Subscription }> {
  const webhook = await ownWebhook(subscriptions, req);
  const record = await log.find(webhook.id, String(req.params.deliveryId));
  if (!record) throw new SigcastError('NOT_FOUND', 'There is no such delivery');
  return { record, webhook };
}
