import { signalHistoryQuerySchema, signalIdSchema } from '@sigcast/contracts';
import { parseQuery, sendTagged } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { getHistory, historyNotFound } from '../domain/history.ts';
import type { HistoryStore } from '../domain/ports.ts';
import { whileWanted } from './while-wanted.ts';

/**
 * `GET /v1/signals/{signal_id}/history`. The `ETag` leaves out `until`, so that an unchanged history keeps its tag while
 * time goes on. An id of a wrong form is 404, as any unknown id.
 */
export function getHistoryRoute(store: HistoryStore, now: () => Date): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const query = parseQuery(signalHistoryQuerySchema, req);
    if (!signalIdSchema.safeParse(id).success) throw historyNotFound(id);
    const history = await whileWanted(res, (gone) => getHistory(store, { id, query, now: now() }, gone));
    if (history === undefined) return;
    const { until: _until, ...lasting } = history;
    sendTagged(res, { success: true, data: history }, lasting);
  };
}
