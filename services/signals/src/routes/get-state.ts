import type { SignalsState } from '@sigcast/contracts';
import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';

/** `GET /internal/v1/state`: the state of outbox and queues, which the gateway shows operators. */
export function getState(read: () => Promise<SignalsState>): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, await read());
  };
}
