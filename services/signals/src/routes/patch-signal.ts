import { eventIdHeader, signalIdSchema, signalPatchSchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { signalNotFound } from '../domain/decide-change.ts';
import { patchSignal } from '../domain/patch-signal.ts';
import type { WriteDeps } from '../domain/ports.ts';
import { toDetail } from '../domain/signal.ts';
import { changeSource } from './change-source.ts';

/** `PATCH /internal/v1/signals/{id}`: applies an observation or a status, and answers with the changed signal. */
export function patchSignalRoute(deps: WriteDeps): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const patch = await parseBody(signalPatchSchema, req);
    if (!signalIdSchema.safeParse(id).success) throw signalNotFound(id);
    const { signal, eventId } = await patchSignal(deps, id, { patch, source: changeSource(req, [patch]) });
    if (eventId !== undefined) res.setHeader(eventIdHeader, eventId);
    sendData(res, toDetail(signal));
  };
}
