import { listSignalsQuerySchema, toListItem } from '@sigcast/contracts';
import { listMeta, parseQuery, sendTagged, setPageLinks } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { listSignals } from '../domain/list-signals.ts';
import type { SignalStore } from '../domain/ports.ts';
import { toDetail } from '../domain/signal.ts';
import { onRequest } from './on-request.ts';

/** `GET /v1/signals`: signals, newest first, by page or by cursor. */
export function listSignalsRoute(store: SignalStore): RequestHandler {
  return async (req, res) => {
    const query = parseQuery(listSignalsQuerySchema, req);
    const page = await listSignals(store, query);
    const meta = listMeta(page);
    setPageLinks(req, res, meta);
    sendTagged(res, {
      success: true,
      data: page.entries.map((signal) => ({
        ...toListItem(toDetail(signal)),
        ...onRequest(signal, query.include),
      })),
      meta,
    });
  };
}
