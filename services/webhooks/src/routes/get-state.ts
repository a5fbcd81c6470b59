import type { WebhooksState } from '@sigcast/contracts';
import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';

/** `GET /internal/v1/state`: what the gateway shows operators. */
export function getState(read: () => Promise<WebhooksState>): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, await read());
  };
}
