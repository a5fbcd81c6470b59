import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, retryDelivery as retry, toDeliveryDetail } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownDelivery } from './own-delivery.ts';

/** `POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry`: one further attempt. */
export function retryDelivery(subscriptions: SubscriptionStore, log: DeliveryLog): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, toDeliveryDetail(await retry(await ownDelivery(subscriptions, log, req), log)));
  };
}
