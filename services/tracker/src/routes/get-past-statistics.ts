import { pastStatsQuerySchema } from '@sigcast/contracts';
import { identityOf, parseQuery, sendTagged } from '@sigcast/http';
import { fairTurns } from '@sigcast/runtime';
import type { RequestHandler } from 'express';
import { getPastStatistics, type PastStore, requireRecorded } from '../domain/past.ts';
import { whileWanted } from './while-wanted.ts';

/** Statistics that a process counts at once. Each takes a dozen of the 50 connections to the store. */
const countedAtOnce = 2;

/**
 * `GET /v1/stats?as_of=`: statistics as they were known at an instant. A process counts those of an account one after
 * another, as each may read thousands of observations.
 */
export function getPastStatisticsRoute(store: PastStore, now: () => Date): RequestHandler {
  const inTurn = fairTurns(countedAtOnce);
  return async (req, res) => {
    const query = parseQuery(pastStatsQuerySchema, req);
    requireRecorded(query.as_of, now());
    const account = identityOf(req).subject;
    const figures = await whileWanted(res, (gone) =>
      inTurn(account, () => getPastStatistics(store, query, gone)),
    );
    if (figures !== undefined) sendTagged(res, { success: true, data: figures });
  };
}
