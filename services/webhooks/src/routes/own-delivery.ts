import { SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import type { DeliveryLog, DeliveryRecord } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/** The delivery that the path names. @throws {SigcastError} NOT_FOUND when it is not the caller's, or not there. */
export async function ownDelivery(
  subscriptions: SubscriptionStore,
  log: DeliveryLog,
  req: Request,
): Promise<DeliveryRecord> {
  const { id } = await ownWebhook(subscriptions, req);
  const found = await log.find(id, String(req.params.deliveryId));
  if (!found) throw new SigcastError('NOT_FOUND', 'There is no such delivery');
  return found;
}
