import { listDeliveriesQuerySchema } from '@sigcast/contracts';
import { listMeta, parseQuery, sendList } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type DeliveryLog, toDelivery } from '../domain/delivery.ts';
import { fromCursor, toCursor } from '../domain/delivery-cursor.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/** `GET /v1/webhooks/{id}/deliveries`, newest first. */
export function listDeliveries(subscriptions: SubscriptionStore, log: DeliveryLog): RequestHandler {
  return async (req, res) => {
    const { page = 1, cursor, ...query } = parseQuery(listDeliveriesQuerySchema, req);
    const after = cursor === undefined ? { page } : fromCursor(cursor);
    const { id } = await ownWebhook(subscriptions, req);
    const { total, items, more } = await log.list(id, { ...query, after });
    const last = items.at(-1);
    const nextCursor = more && last ? toCursor({ at: last.createdAt, id: last.id }) : null;
    sendList(req, res, items.map(toDelivery), listMeta({ total, page, limit: query.limit, nextCursor }));
  };
}
