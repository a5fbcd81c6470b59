import { operationsOf } from '@sigcast/contracts';
import { type ServiceAppDeps, serveOperations, serviceApp } from '@sigcast/http';
import type { Express } from 'express';
import type { BacktestStore } from './domain/backtest/job.ts';
import type { BacktestHistory } from './domain/backtest/run-backtest.ts';
import type { PastStore } from './domain/past.ts';
import type { HistoryStore } from './domain/ports.ts';
import type { PublicLog } from './domain/tlog/ports.ts';
import { backtestHandlers } from './routes/backtests.ts';
import { signalHandlers } from './routes/signals.ts';
import { proofHandlers, tlogRoutes } from './routes/tlog.ts';

export type AppDeps = ServiceAppDeps & {
  readonly history: HistoryStore;
  readonly past: PastStore;
  readonly backtests: BacktestStore;
  readonly backtestHistory: Pick<BacktestHistory, 'count'>;
  /** Without it, there is no log here. */
  readonly tlog?: { readonly log: PublicLog; readonly keys: readonly string[] } | undefined;
  /** A test may pass another clock. */
  readonly now?: () => Date;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const now = deps.now ?? (() => new Date());
  const { tlog } = deps;
  return serviceApp(deps, (app) => {
    if (tlog !== undefined) tlogRoutes(app, tlog.log, tlog.keys);
    serveOperations(app, operationsOf('tracker'), {
      ...signalHandlers({ ...deps, now }),
      ...backtestHandlers({ backtests: deps.backtests, history: deps.backtestHistory, now }),
      ...proofHandlers(tlog?.log),
    });
  });
}
