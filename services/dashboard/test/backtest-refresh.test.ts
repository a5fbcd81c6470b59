import { describe, expect, it } from '@jest/globals';
import type { BacktestStatus } from '@sigcast/contracts';
import { refreshEveryMs } from '../src/routes/backtests/refresh.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const made = (status: BacktestStatus, agoMs: number) => ({
  status,
  created_at: new Date(now - agoMs).toISOString(),
});

describe('a page of backtests', () => {
  it('is not asked for again when all of them are finished', () => {
    expect(refreshEveryMs([], now)).toBe(false);
    expect(refreshEveryMs([made('completed', 1_000), made('failed', 2_000)], now)).toBe(false);
  });

  it('is asked for often while one is young and unfinished, and seldom when it has waited for long', () => {
    expect(refreshEveryMs([made('completed', 0), made('queued', 5_000)], now)).toBe(1_500);
    expect(refreshEveryMs([made('running', 59_999), made('running', 3_600_000)], now)).toBe(1_500);
    expect(refreshEveryMs([made('running', 60_000)], now)).toBe(5_000);
    expect(refreshEveryMs([made('queued', 600_000)], now)).toBe(30_000);
  });

  it('does not ask often for ever where the clock of the browser is slow', () => {
    expect(refreshEveryMs([made('running', -3_600_000)], now)).toBe(30_000);
  });
});
