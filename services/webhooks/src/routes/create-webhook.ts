import { createWebhookSchema, invalidRequest } from '@sigcast/contracts';
import { identityOf, parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type CreateDeps, createSubscription, toWebhook } from '../domain/subscription.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** `POST /v1/webhooks` */
export function createWebhook(deps: CreateDeps): RequestHandler {
  return async (req, res) => {
    const body = parseBody(createWebhookSchema, req);
    const idempotencyKey = req.get('idempotency-key');
    if (idempotencyKey !== undefined && !keyPattern.test(idempotencyKey)) {
      throw invalidRequest([
        { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
      ]);
    }
    const subscription = await createSubscription(
      { account: identityOf(req).subject, body, idempotencyKey },
      deps,
    );
    sendData(res, { ...toWebhook(subscription, new Date(deps.now())), secret: subscription.secret }, 201);
  };
}
