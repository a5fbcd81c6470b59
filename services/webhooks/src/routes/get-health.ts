import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { type HealthLog, toWebhookHealth } from '../domain/webhook-health.ts';
import { ownWebhook } from './own-webhook.ts';

/** `GET /v1/webhooks/{id}/health` */
export function getHealth(subscriptions: SubscriptionStore, log: HealthLog): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const { id } = await ownWebhook(subscriptions, req);
    sendData(res, toWebhookHealth(await log.figures(id)));
  };
}
