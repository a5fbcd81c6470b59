import { operationsOf } from '@sigcast/contracts';
import { type ServiceAppDeps, serveOperations, serviceApp } from '@sigcast/http';
import type { Express } from 'express';
import type { BacktestStore } from './domain/backtest/job.ts';
import type { BacktestHistory } from './domain/backtest/run-backtest.ts';
import type { PastStore } from './domain/past.ts';
import type { HistoryStore } from './domain/ports.ts';
import { backtestHandlers } from './routes/backtests.ts';
import { signalHandlers } from './routes/signals.ts';

export type AppDeps = ServiceAppDeps & {
  readonly history: HistoryStore;
  readonly past: PastStore;
  readonly backtests: BacktestStore;
  readonly backtestHistory: Pick<BacktestHistory, 'count'>;
  /** A test may pass another clock. */
  readonly now?: () => Date;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const now = deps.now ?? (() => new Date());
  return serviceApp(deps, (app) => {
    serveOperations(app, operationsOf('tracker'), {
      ...signalHandlers({ ...deps, now }),
      ...backtestHandlers({ backtests: deps.backtests, history: deps.backtestHistory, now }),
    });
  });
}
