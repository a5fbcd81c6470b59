import { createHash } from 'node:crypto';
import { type Statistics, statsQuerySchema } from '@sigcast/contracts';
import { parseQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { StatisticsStore } from '../domain/ports.ts';
import { getStatistics } from '../domain/statistics.ts';

/** `GET /v1/stats` */
export function getStatisticsRoute(deps: {
  readonly store: StatisticsStore;
  readonly now: () => Date;
}): RequestHandler {
  return async (req, res) => {
    const statistics = await getStatistics(deps, parseQuery(statsQuerySchema, req));
    // Express answers 304 by itself when If-None-Match names this tag.
    res.setHeader('ETag', entityTag(statistics));
    sendData(res, statistics);
  };
}

/** Weak (RFC 9110, 8.8.1): the same figures are the same to a client, whatever instant they were read for. */
function entityTag({ as_of: _asOf, ...figures }: Statistics): string {
  return `W/"${createHash('sha256').update(JSON.stringify(figures)).digest('base64url').slice(0, 22)}"`;
}
