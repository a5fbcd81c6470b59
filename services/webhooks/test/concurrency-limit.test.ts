import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from '../src/domain/concurrency-limit.ts';

/** How many attempts may be under way at once. */
function width(limit: ConcurrencyLimit, nowMs = 0): number {
  let inFlight = 0;
  while (limit.allows(inFlight, nowMs)) inFlight += 1;
  return inFlight;
}

describe('the limit of attempts at one endpoint', () => {
  it('rises by one for each round of successes at the limit, up to its bound', () => {
    const limit = new ConcurrencyLimit({ max: 12 });
    expect(width(limit)).toBe(10);
    for (let n = 0; n < 11; n += 1) limit.note('succeeded', 10, 0);
    expect(width(limit)).toBe(11);
    for (let n = 0; n < 100; n += 1) limit.note('succeeded', 12, 0);
    expect(width(limit)).toBe(12);
  });

  it('does not rise for an endpoint that never needed all of it', () => {
    const limit = new ConcurrencyLimit({ max: 50 });
    for (let n = 0; n < 1_000; n += 1) limit.note('succeeded', 3, 0);
    expect(width(limit)).toBe(10);
  });

  it('halves with each failure, down to two', () => {
    const limit = new ConcurrencyLimit({ max: 50 });
    const widths = Array.from({ length: 4 }, () => {
      limit.note('bad_status', 10, 0);
      return width(limit);
    });
    expect(widths).toEqual([5, 2, 2, 2]);
  });

  it('is never more than the bound, however low that is', () => {
    const limit = new ConcurrencyLimit({ max: 1 });
    limit.note('bad_status', 1, 0);
    limit.note('succeeded', 1, 0);
    expect(width(limit)).toBe(1);
  });

  it('is one probe at a time, with growing pauses, for an endpoint that only hangs, until it answers anything', () => {
    const limit = new ConcurrencyLimit({ max: 50 });
    for (let n = 0; n < 5; n += 1) limit.note('timeout', 1, 0);
    expect(limit.open).toBe(true);
    const pauses: number[] = [];
    let nowMs = 0;
    for (let n = 0; n < 7; n += 1) {
      const from = nowMs;
      while (!limit.allows(0, nowMs)) nowMs += 500;
      expect(limit.allows(1, nowMs)).toBe(false);
      pauses.push(nowMs - from);
      limit.note('timeout', 1, nowMs);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    limit.note('bad_status', 1, nowMs);
    expect(limit.open).toBe(false);
    expect(width(limit, nowMs)).toBe(2);
  });
});
