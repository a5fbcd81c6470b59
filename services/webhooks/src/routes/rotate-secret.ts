import { identityOf, noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type ChangeDeps, rotateSecret } from '../domain/changing.ts';
import { toWebhook } from '../domain/subscription.ts';
import { unknownWebhook } from './own-webhook.ts';

/** `POST /v1/webhooks/{id}/rotate-secret`: the new secret, shown only now. */
export function rotateWebhookSecret(deps: ChangeDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const which = { account: identityOf(req).subject, id: String(req.params.webhookId) };
    const rotated = await rotateSecret(which, deps);
    if (!rotated) throw unknownWebhook();
    sendData(res, { ...toWebhook(rotated, new Date(deps.now())), secret: rotated.secret });
  };
}
