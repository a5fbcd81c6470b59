import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, retryDelivery as retry, toDeliveryDetail } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownDelivery } from './own-delivery.ts';

/** `POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry`: one further attempt. */
export function retryDelivery(deps: {
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryLog;
  readonly now: () => number;
}): RequestHandler {
  const { subscriptions, deliveries: log, now } = deps;
  return async (req, res) => {
    noQuery(req);
    const { record, webhook } = await ownDelivery(subscriptions, log, req);
    // The body is read first: if the read failed after the delivery was made due, the client would ask for another attempt.
    const body = await log.bodyOf(record);
    const due = await retry(record, { log, disabled: webhook.disabled !== null, now });
    sendData(res, toDeliveryDetail(due, body ?? null));
  };
}
