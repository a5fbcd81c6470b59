import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, detailOf } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownDelivery } from './own-delivery.ts';

/** `GET /v1/webhooks/{id}/deliveries/{delivery_id}`, with its body and every attempt. */
export function getDelivery(subscriptions: SubscriptionStore, log: DeliveryLog): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const { record } = await ownDelivery(subscriptions, log, req);
    sendData(res, await detailOf(record, log));
  };
}
