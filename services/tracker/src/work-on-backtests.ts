import { addGauges } from '@sigcast/http';
import { keepLooking, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import type { BacktestHistory } from './domain/backtest/run-backtest.ts';
import { type BacktestWork, workOnBacktest } from './domain/backtest/work.ts';

/** Between two searches for a backtest while none is due, in milliseconds. */
const pauses = { firstMs: 500, maxMs: 5_000 };
/** After the store failed. */
const retryMs = 2_000;

const wait = (ms: number, stopping: AbortSignal) => pause(ms, stopping).catch(() => undefined);

/**
 * Works on backtests, one after another, until `resources` are released. The release gives back an unfinished one.
 * @returns a function to call when a backtest was created.
 */
export function workOnBacktests(
  deps: { readonly work: BacktestWork; readonly history: BacktestHistory },
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): () => void {
  const look = async (stopping: AbortSignal) => {
    try {
      const done = await workOnBacktest({ ...deps, now: () => new Date(), pause: wait }, stopping);
      if (done === undefined) return undefined;
      const { id, outcome, error } = done;
      if (error === undefined) log.info({ backtest: id, outcome }, 'backtest: worked on');
      else log.warn({ backtest: id, outcome, err: error }, 'backtest: worked on without success');
      return 0;
    } catch (err) {
      log.warn({ err }, 'backtests: the work is interrupted');
      return { retryMs };
    }
  };
  return keepLooking(look, pauses, resources);
}

const waitGauge = {
  name: 'sigcast_tracker_backtest_wait_seconds',
  help: 'For how long the oldest unfinished backtest has waited for its result, over all processes.',
};

/** Adds the gauge of how long backtests wait. `waitMs` asks the store when the metrics are scraped. */
export function addBacktestGauge(registry: Registry, waitMs: () => Promise<number>): void {
  addGauges(registry, [waitGauge], async () => [(await waitMs()) / 1_000]);
}
