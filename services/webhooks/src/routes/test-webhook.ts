import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { sendTest, type TestDeps } from '../domain/test-event.ts';
import { ownWebhook } from './own-webhook.ts';

/** `POST /v1/webhooks/{id}/test`: a test event for this subscription alone. */
export function testWebhook(deps: TestDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const subscription = await ownWebhook(deps.subscriptions, req);
    sendData(res, await sendTest(subscription, deps), 201);
  };
}
