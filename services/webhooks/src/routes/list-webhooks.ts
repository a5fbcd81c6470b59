import { pageQuerySchema } from '@sigcast/contracts';
import { identityOf, listMeta, parseQuery, sendList } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type SubscriptionStore, toWebhook } from '../domain/subscription.ts';

/** `GET /v1/webhooks` */
export function listWebhooks(subscriptions: SubscriptionStore, now: () => number): RequestHandler {
  return async (req, res) => {
    const { page, limit } = parseQuery(pageQuerySchema, req);
    const found = await subscriptions.list(identityOf(req).subject, { skip: (page - 1) * limit, limit });
    const at = new Date(now());
    const items = found.items.map((subscription) => toWebhook(subscription, at));
    sendList(req, res, items, listMeta({ total: found.total, page, limit }));
  };
}
