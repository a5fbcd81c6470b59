import { updateWebhookSchema } from '@sigcast/contracts';
import { identityOf, parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type NameWarning, toWebhook, warningsOf } from '../domain/subscription.ts';
import { type ChangeDeps, updateSubscription } from '../domain/update-subscription.ts';
import { unknownWebhook } from './own-webhook.ts';

/** `PATCH /v1/webhooks/{id}`: members that the body leaves out stay as they are. */
export function updateWebhook(deps: ChangeDeps & { readonly nameWarning: NameWarning }): RequestHandler {
  return async (req, res) => {
    const body = await parseBody(updateWebhookSchema, req);
    const which = { account: identityOf(req).subject, id: String(req.params.webhookId) };
    const updated = await updateSubscription({ ...which, body }, deps);
    if (!updated) throw unknownWebhook();
    const warnings = await warningsOf(body.url, deps.nameWarning);
    sendData(res, { ...toWebhook(updated, new Date(deps.now())), ...warnings });
  };
}
