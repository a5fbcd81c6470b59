import { signalHistoryQuerySchema, signalIdSchema } from '@sigcast/contracts';
import { entityTag, parseQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { getHistory, historyNotFound } from '../domain/history.ts';
import type { HistoryStore } from '../domain/ports.ts';

/**
 * `GET /v1/signals/{signal_id}/history`. The weak `ETag` (RFC 9110, 8.8.1) leaves out `until`, so that an unchanged history
 * keeps its tag while time goes on. An id of a wrong form is 404, as any unknown id.
 */
export function getHistoryRoute(store: HistoryStore, now: () => Date): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const query = parseQuery(signalHistoryQuerySchema, req);
    if (!signalIdSchema.safeParse(id).success) throw historyNotFound(id);
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const history = await getHistory(store, { id, query, now: now() }, gone.signal).catch(
      (error: unknown) => {
        if (gone.signal.aborted) return undefined;
        throw error;
      },
    );
    if (history === undefined) return;
    const { until: _until, ...lasting } = history;
    res.setHeader('ETag', `W/${entityTag(JSON.stringify(lasting))}`);
    sendData(res, history);
  };
}
