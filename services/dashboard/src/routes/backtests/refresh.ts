import type { BacktestListItem } from '@sigcast/client';

const minuteMs = 60_000;

/** Whether a backtest still changes by itself. */
export function isUnfinished({ status }: Pick<BacktestListItem, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * How often to ask for backtests again, in milliseconds; false when all are finished. Often in the first minute, as most take
 * seconds; then seldom, so that a page left open does not use up the dashboard's requests.
 */
export function backtestsRefreshMs(
  backtests: readonly Pick<BacktestListItem, 'status' | 'created_at'>[],
  nowMs: number,
): number | false {
  const unfinished = backtests.filter((backtest) => isUnfinished(backtest));
  if (unfinished.length === 0) return false;
  // The absolute value, because the browser's clock may be behind the system's.
  const ageMs = Math.min(...unfinished.map(({ created_at: at }) => Math.abs(nowMs - Date.parse(at))));
  if (ageMs < minuteMs) return 1_500;
  return ageMs < 10 * minuteMs ? 5_000 : 30_000;
}
