import { identityOf, noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { toWebhook } from '../domain/subscription.ts';
import { type ChangeDeps, rotateSecret } from '../domain/update-subscription.ts';
import { unknownWebhook } from './own-webhook.ts';

/** `POST /v1/webhooks/{id}/rotate-secret`: the answer is the only one that shows the new secret. */
export function rotateWebhookSecret(deps: ChangeDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const which = { account: identityOf(req).subject, id: String(req.params.webhookId) };
    const rotated = await rotateSecret(which, deps);
    if (!rotated) throw unknownWebhook();
    sendData(res, { ...toWebhook(rotated, new Date(deps.now())), secret: rotated.secret });
  };
}
