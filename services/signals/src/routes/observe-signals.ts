import { observationsSchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { observeSignals } from '../domain/observe-signals.ts';
import type { WriteDeps } from '../domain/ports.ts';
import { changeSource } from './change-source.ts';

/** `POST /internal/v1/signals/observations`: applies observations of up to 100 signals, and reports those that failed. */
export function observeSignalsRoute(deps: WriteDeps): RequestHandler {
  return async (req, res) => {
    const { observations } = await parseBody(observationsSchema, req);
    sendData(res, await observeSignals(deps, observations, changeSource(req, observations)));
  };
}
