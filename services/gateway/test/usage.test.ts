import { describe, expect, it } from '@jest/globals';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { accountUsage, dayMs, reportUsage, retryAfterS } from '../src/domain/usage.ts';

const windowMs = 60_000;
const noon = 20_000 * dayMs + dayMs / 2;
const cell = noon / windowMs;

function report(nowMs: number, current: number, previous: number, usedToday: number) {
  const limits = { perMinute: 60, perDay: 10_000 };
  const count = { cell: Math.floor(nowMs / windowMs), current, previous };
  return reportUsage(accountUsage({ nowMs, windowMs, limits }, count, usedToday));
}

describe('what a client is told', () => {
  it('is about the window with the least remaining', () => {
    expect(report(noon, 10, 0, 10).headline).toMatchObject({ name: 'minute', limit: 60, remaining: 50 });
    expect(report(noon, 10, 0, 9_960).headline).toMatchObject({ name: 'day', limit: 10_000, remaining: 40 });
  });

  it('is about the day on a tie', () => {
    expect(report(noon, 10, 0, 9_950).headline.name).toBe('day');
  });

  it('with both exhausted is about the one that frees last', () => {
    expect(report(noon, 60, 0, 10_000).headline).toMatchObject({ name: 'day', remaining: 0 });
    const justBeforeMidnight = Math.ceil(noon / dayMs) * dayMs - 5_000;
    expect(report(justBeforeMidnight, 60, 0, 10_000).headline).toMatchObject({
      name: 'minute',
      remaining: 0,
    });
  });

  it('names the end of the minute while something remains, and midnight UTC for the day', () => {
    expect(report(noon + 20_000, 10, 0, 10).headline.resetS).toBe(noon / 1000 + 60);
    expect(report(noon, 0, 0, 10_000).headline.resetS).toBe((Math.floor(noon / dayMs) + 1) * 86_400);
  });

  it('names the first whole second at which one more is admitted, some milliseconds of a fast clock forgiven', () => {
    // Sixty at the start: the first is free at exactly one second into the next minute.
    expect(report(noon, 60, 0, 60).headline.resetS).toBe(noon / 1000 + 62);
    expect(report(noon + 500, 0, 60, 60).headline).toMatchObject({ remaining: 0, resetS: noon / 1000 + 2 });
  });

  it('never lets retry_after end before the reset, and is at least one second', () => {
    for (const offset of [0, 1, 499, 999, 1_000, 30_001, 59_999]) {
      const told = report(noon + offset, 60, 60, 100);
      expect(retryAfterS(told)).toBeGreaterThanOrEqual(1);
      expect((noon + offset) / 1000 + retryAfterS(told)).toBeGreaterThanOrEqual(told.headline.resetS);
    }
  });

  it('counts no fraction of a request as remaining', () => {
    expect(report(noon + 30_500, 0, 59, 59).headline.remaining).toBe(30);
    expect(cell).toBe(Math.floor(cell));
  });
});

describe('counting in the process', () => {
  const limits = { perMinute: 5, perDay: 8 };

  it('refuses what either window refuses, and charges neither then', () => {
    let nowMs = noon;
    const counters = new LocalCounters({ windowMs, clock: () => nowMs });
    const take = () => counters.admitAccount('acct_a', limits);
    for (let i = 0; i < 5; i += 1) expect(take().admitted).toBe(true);
    for (let i = 0; i < 20; i += 1) expect(take().admitted).toBe(false);
    nowMs += 2 * windowMs;
    for (let i = 0; i < 3; i += 1) expect(take().admitted).toBe(true);
    expect(take()).toMatchObject({ admitted: false, usage: { day: { used: 8 } } });
    nowMs += dayMs;
    expect(take().admitted).toBe(true);
  });

  it('keeps accounts apart', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    for (let i = 0; i < 9; i += 1) counters.admitAccount('acct_a', limits);
    expect(counters.admitAccount('acct_b', limits).admitted).toBe(true);
  });
});
