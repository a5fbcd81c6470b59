import { type Statistics, statsQuerySchema } from '@sigcast/contracts';
import { entityTag, parseQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { StatisticsStore } from '../domain/ports.ts';
import { getStatistics } from '../domain/statistics.ts';

/** `GET /v1/stats` */
export function getStatisticsRoute(store: StatisticsStore): RequestHandler {
  return async (req, res) => {
    const statistics = await getStatistics(store, parseQuery(statsQuerySchema, req));
    // Express answers 304 by itself when If-None-Match names this tag.
    res.setHeader('ETag', figuresTag(statistics));
    sendData(res, statistics);
  };
}

/** Weak (RFC 9110, 8.8.1): the same figures are the same to a client, whatever instant they were read for. */
function figuresTag({ as_of: _asOf, ...figures }: Statistics): string {
  return `W/${entityTag(JSON.stringify(figures))}`;
}
