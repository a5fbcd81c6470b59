import { pastStatsQuerySchema } from '@sigcast/contracts';
import { parseQuery, sendTagged } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { getPastStatistics, type PastStore, requireRecorded } from '../domain/past.ts';
import { whileWanted } from './while-wanted.ts';

/**
 * `GET /v1/stats?as_of=`: statistics as they were known at an instant. A process counts them one after another, as each may
 * read thousands of observations.
 */
export function getPastStatisticsRoute(store: PastStore, now: () => Date): RequestHandler {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
  return async (req, res) => {
    const query = parseQuery(pastStatsQuerySchema, req);
    requireRecorded(query.as_of, now());
    const figures = await whileWanted(res, (gone) => inTurn(() => getPastStatistics(store, query, gone)));
    if (figures !== undefined) sendTagged(res, { success: true, data: figures });
  };
}
