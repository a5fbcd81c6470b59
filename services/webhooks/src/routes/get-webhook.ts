import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type SubscriptionStore, toWebhook } from '../domain/subscription.ts';
import { ownWebhook } from './own-webhook.ts';

/** `GET /v1/webhooks/{id}` */
export function getWebhook(subscriptions: SubscriptionStore, now: () => number): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, toWebhook(await ownWebhook(subscriptions, req), new Date(now())));
  };
}
