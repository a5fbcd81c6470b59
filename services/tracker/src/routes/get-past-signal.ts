import { pastSignalQuerySchema, signalIdSchema } from '@sigcast/contracts';
import { parseQuery, sendTagged } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { historyNotFound } from '../domain/history.ts';
import { getPastSignal, type PastStore, requireRecorded } from '../domain/past.ts';

/** `GET /v1/signals/{signal_id}?as_of=`: a signal as it was known at an instant. An id of a wrong form is 404. */
export function getPastSignalRoute(store: PastStore, now: () => Date): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const { as_of: asOf } = parseQuery(pastSignalQuerySchema, req);
    requireRecorded(asOf, now());
    if (!signalIdSchema.safeParse(id).success) throw historyNotFound(id, asOf);
    sendTagged(res, { success: true, data: await getPastSignal(store, id, asOf) });
  };
}
