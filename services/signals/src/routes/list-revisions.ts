import { listRevisionsQuerySchema, type SignalRevision, signalIdSchema } from '@sigcast/contracts';
import { noQuery, parseQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { signalNotFound } from '../domain/decide-change.ts';
import type { SignalStore } from '../domain/ports.ts';
import { type Signal, toDetail } from '../domain/signal.ts';

/** `GET /internal/v1/signals`: all signals by id, page by page, for services that keep a copy. */
export function listRevisionsRoute(store: SignalStore): RequestHandler {
  return async (req, res) => {
    const { after, limit } = parseQuery(listRevisionsQuerySchema, req);
    const signals = await store.pageById({ after, limit });
    const last = signals.length < limit ? undefined : signals.at(-1);
    res.json({ success: true, data: signals.map(revisionOf), meta: { next_after: last?.id ?? null } });
  };
}

/** `GET /internal/v1/signals/{id}`: one signal with its revision. */
export function getRevisionRoute(store: SignalStore): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    noQuery(req);
    const stored = signalIdSchema.safeParse(id).success ? await store.find(id) : undefined;
    if (!stored) throw signalNotFound(id);
    sendData(res, revisionOf(stored.signal));
  };
}

function revisionOf(signal: Signal): SignalRevision {
  const { rev, realizable } = signal;
  return { rev, signal: toDetail(signal), ...(realizable && { realizable }) };
}
