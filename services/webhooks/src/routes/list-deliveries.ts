import { pageQuerySchema } from '@sigcast/contracts';
import { listMeta, parseQuery, sendList } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, toDelivery } from '../domain/delivery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/** `GET /v1/webhooks/{id}/deliveries`, newest first. */
export function listDeliveries(subscriptions: SubscriptionStore, log: DeliveryLog): RequestHandler {
  return async (req, res) => {
    const { page, limit } = parseQuery(pageQuerySchema, req);
    const { id } = await ownWebhook(subscriptions, req);
    const found = await log.list(id, { skip: (page - 1) * limit, limit });
    sendList(res, found.items.map(toDelivery), listMeta({ total: found.total, page, limit }));
  };
}
