import { getSignalQuerySchema, signalIdSchema } from '@sigcast/contracts';
import { parseQuery, sendTagged } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { signalNotFound } from '../domain/decide-change.ts';
import type { SignalStore } from '../domain/ports.ts';
import { toDetail } from '../domain/signal.ts';
import { onRequest } from './on-request.ts';

/** `GET /v1/signals/{signal_id}`: one signal in full. An id of a wrong form is 404, as any unknown id. */
export function getSignalRoute(store: SignalStore): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const { include } = parseQuery(getSignalQuerySchema, req);
    const stored = signalIdSchema.safeParse(id).success ? await store.find(id) : undefined;
    if (!stored) throw signalNotFound(id);
    const { signal } = stored;
    sendTagged(res, { success: true, data: { ...toDetail(signal), ...onRequest(signal, include) } });
  };
}
