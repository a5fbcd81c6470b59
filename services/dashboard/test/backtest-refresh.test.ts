import type { BacktestStatus } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { backtestsRefreshMs } from '../src/routes/backtests/refresh.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const made = (status: BacktestStatus, agoMs: number) => ({
  status,
  created_at: new Date(now - agoMs).toISOString(),
});

describe('a page of backtests', () => {
  it('is not requested again when all backtests are finished', () => {
    expect(backtestsRefreshMs([], now)).toBe(false);
    expect(backtestsRefreshMs([made('completed', 1_000), made('failed', 2_000)], now)).toBe(false);
  });

  it('is requested often while an unfinished backtest is new, and seldom when it has waited for long', () => {
    expect(backtestsRefreshMs([made('completed', 0), made('queued', 5_000)], now)).toBe(1_500);
    expect(backtestsRefreshMs([made('running', 59_999), made('running', 3_600_000)], now)).toBe(1_500);
    expect(backtestsRefreshMs([made('running', 60_000)], now)).toBe(5_000);
    expect(backtestsRefreshMs([made('queued', 600_000)], now)).toBe(30_000);
  });

  it('is not requested often for ever when the clock of the browser is slow', () => {
    expect(backtestsRefreshMs([made('running', -3_600_000)], now)).toBe(30_000);
  });
});
