import { statsQuerySchema } from '@sigcast/contracts';
import { parseQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { StatisticsStore } from '../domain/ports.ts';
import { getStatistics } from '../domain/statistics.ts';
import { sendFigures } from './send-figures.ts';

/** `GET /v1/stats` */
export function getStatisticsRoute(store: StatisticsStore): RequestHandler {
  return async (req, res) => {
    sendFigures(res, await getStatistics(store, parseQuery(statsQuerySchema, req)));
  };
}
