import { statsQuerySchema } from '@sigcast/contracts';
import { parseQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { getStatisticsWith } from '../domain/included.ts';
import type { DistributionStore, StatisticsStore } from '../domain/ports.ts';
import { getStatistics } from '../domain/statistics.ts';
import { sendFigures } from './send-figures.ts';

/** `GET /v1/stats` */
export function getStatisticsRoute(store: StatisticsStore & DistributionStore): RequestHandler {
  return async (req, res) => {
    const query = parseQuery(statsQuerySchema, req);
    sendFigures(res, await (query.include ? getStatisticsWith : getStatistics)(store, query));
  };
}
