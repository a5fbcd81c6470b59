import { signalIdSchema } from '@sigcast/contracts';
import { noQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { signalNotFound } from '../domain/decide-change.ts';
import type { SignalStore } from '../domain/ports.ts';
import { toDetail } from '../domain/signal.ts';
import { sendTagged } from './entity-tag.ts';

/** `GET /v1/signals/{signal_id}`: one signal in full. An id of a wrong form is 404, as any unknown id. */
export function getSignalRoute(store: SignalStore): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    noQuery(req);
    const stored = signalIdSchema.safeParse(id).success ? await store.find(id) : undefined;
    if (!stored) throw signalNotFound(id);
    sendTagged(res, { success: true, data: toDetail(stored.signal) });
  };
}
