import type { BacktestListItem } from '@sigcast/contracts';

const minuteMs = 60_000;

/** Whether a backtest still changes by itself. */
export function isUnfinished({ status }: Pick<BacktestListItem, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * How often backtests are asked for again, in milliseconds; false when all are finished. Most take seconds, so the first
 * minute is followed closely. A page that is left open must not use up the dashboard's requests.
 */
export function refreshEveryMs(
  backtests: readonly Pick<BacktestListItem, 'status' | 'created_at'>[],
  nowMs: number,
): number | false {
  const unfinished = backtests.filter((backtest) => isUnfinished(backtest));
  if (unfinished.length === 0) return false;
  // Of either sign: this clock and the system's may differ.
  const ageMs = Math.min(...unfinished.map(({ created_at: at }) => Math.abs(nowMs - Date.parse(at))));
  if (ageMs < minuteMs) return 1_500;
  return ageMs < 10 * minuteMs ? 5_000 : 30_000;
}
