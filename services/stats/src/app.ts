import { operationsOf } from '@sigcast/contracts';
import { type ServiceAppDeps, serveOperations, serviceApp } from '@sigcast/http';
import type { Express } from 'express';
import type { SeriesStore, StatisticsStore } from './domain/ports.ts';
import { statisticsHandlers } from './routes/statistics.ts';

export type AppDeps = ServiceAppDeps & {
  readonly store: StatisticsStore & SeriesStore;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  return serviceApp(deps, (app) => {
    serveOperations(app, operationsOf('stats'), statisticsHandlers(deps.store));
  });
}
