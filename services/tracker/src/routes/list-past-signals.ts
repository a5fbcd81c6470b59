import { pastSignalsQuerySchema, toListItem } from '@sigcast/contracts';
import { listMeta, parseQuery, sendTagged, setPageLinks } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { listPastSignals, type PastStore, requireRecorded, toDetail } from '../domain/past.ts';

/** `GET /v1/signals?as_of=`: signals as they were known at an instant, newest first, by page or by cursor. */
export function listPastSignalsRoute(store: PastStore, now: () => Date): RequestHandler {
  return async (req, res) => {
    const query = parseQuery(pastSignalsQuerySchema, req);
    requireRecorded(query.as_of, now());
    const page = await listPastSignals(store, query);
    const meta = listMeta(page);
    setPageLinks(req, res, meta);
    sendTagged(res, {
      success: true,
      data: page.entries.flatMap(({ signal }) => (signal ? toListItem(toDetail(signal)) : [])),
      meta,
    });
  };
}
