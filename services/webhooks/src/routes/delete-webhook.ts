import { identityOf, noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { unknownWebhook } from './own-webhook.ts';

/** `DELETE /v1/webhooks/{id}`: pending deliveries are deleted as well. */
export function deleteWebhook(subscriptions: SubscriptionStore): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const id = String(req.params.webhookId);
    if (!(await subscriptions.remove(identityOf(req).subject, id))) throw unknownWebhook();
    sendData(res, { id, deleted: true });
  };
}
