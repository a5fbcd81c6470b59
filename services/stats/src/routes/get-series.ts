import { statsSeriesQuerySchema } from '@sigcast/contracts';
import { parseQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { SeriesStore } from '../domain/ports.ts';
import { getSeries } from '../domain/series.ts';
import { sendFigures } from './send-figures.ts';

/** `GET /v1/stats/series` */
export function getSeriesRoute(store: SeriesStore): RequestHandler {
  return async (req, res) => {
    sendFigures(res, await getSeries(store, parseQuery(statsSeriesQuerySchema, req)));
  };
}
