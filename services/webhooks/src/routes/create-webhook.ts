import { createWebhookSchema } from '@sigcast/contracts';
import { idempotencyOf, identityOf, parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type CreateDeps, createSubscription, toWebhook } from '../domain/subscription.ts';

/** `POST /v1/webhooks` */
export function createWebhook(deps: CreateDeps): RequestHandler {
  return async (req, res) => {
    const body = await parseBody(createWebhookSchema, req);
    const idempotency = idempotencyOf(req, body, new Date(deps.now()));
    const subscription = await createSubscription(
      { account: identityOf(req).subject, body, idempotency },
      deps,
    );
    sendData(res, { ...toWebhook(subscription, new Date(deps.now())), secret: subscription.secret }, 201);
  };
}
