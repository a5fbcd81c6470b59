import { SigcastError } from '@sigcast/contracts';
import { sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, toDeliveryDetail } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/** `GET /v1/webhooks/{id}/deliveries/{delivery_id}`, with every attempt. */
export function getDelivery(subscriptions: SubscriptionStore, log: DeliveryLog): RequestHandler {
  return async (req, res) => {
    const { id } = await ownWebhook(subscriptions, req);
    const found = await log.find(id, String(req.params.deliveryId));
    if (!found) throw new SigcastError('NOT_FOUND', 'There is no such delivery');
    sendData(res, toDeliveryDetail(found));
  };
}
