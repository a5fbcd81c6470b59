import { createWebhookSchema } from '@sigcast/contracts';
import { idempotencyOf, identityOf, parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import {
  type CreateDeps,
  createSubscription,
  type NameWarning,
  toWebhook,
  warningsOf,
} from '../domain/subscription.ts';

/** `POST /v1/webhooks` */
export function createWebhook(deps: CreateDeps & { readonly nameWarning: NameWarning }): RequestHandler {
  return async (req, res) => {
    const { subject, webhooks = 0, unverified = false } = identityOf(req);
    const body = await parseBody(createWebhookSchema, req);
    const idempotency = idempotencyOf(req, body, new Date(deps.now()));
    const subscription = await createSubscription(
      { account: subject, quota: webhooks, unverified, body, idempotency },
      deps,
    );
    const webhook = toWebhook(subscription, new Date(deps.now()));
    const warnings = await warningsOf(body.url, deps.nameWarning);
    sendData(res, { ...webhook, ...warnings, secret: subscription.secret }, 201);
  };
}
