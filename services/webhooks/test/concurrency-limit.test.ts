import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../src/domain/concurrency-limit.ts';

/** How many attempts may be under way at once. */
function width(limit: ConcurrencyLimit, nowMs = 0): number {
  let inFlight = 0;
  while (limit.allows(inFlight, nowMs)) inFlight += 1;
  return inFlight;
}

it('the limit of attempts at one endpoint doubles with each full set of successes until the first failure, then rises by one, up to its bound', () => {
  const limit = new ConcurrencyLimit({ max: 20, proven: true });
  const fullSet = () => {
    const now = width(limit);
    for (let n = 0; n < now; n += 1) limit.record('succeeded', width(limit), 0);
    return width(limit);
  };
  expect([width(limit), fullSet(), fullSet()]).toEqual([4, 8, 16]);
  limit.record('bad_status', 16, 0);
  expect([width(limit), fullSet(), fullSet()]).toEqual([8, 8, 9]);
  for (let n = 0; n < 1_000; n += 1) limit.record('succeeded', 20, 0);
  expect(width(limit)).toBe(20);
});

it('the limit of attempts at one endpoint does not rise for an endpoint that never needed all of it', () => {
  const limit = new ConcurrencyLimit({ max: 50, proven: true });
  for (let n = 0; n < 1_000; n += 1) limit.record('succeeded', 3, 0);
  expect(width(limit)).toBe(4);
});

it('the limit of attempts at one endpoint halves with each failure, down to two', () => {
  const limit = new ConcurrencyLimit({ max: 50, proven: true });
  for (let n = 0; n < 12; n += 1) limit.record('succeeded', width(limit), 0);
  const widths = Array.from({ length: 5 }, () => {
    limit.record('bad_status', 10, 0);
    return width(limit);
  });
  expect(widths).toEqual([8, 4, 2, 2, 2]);
});

it('the limit of attempts at one endpoint is never more than the bound, however low that is', () => {
  const limit = new ConcurrencyLimit({ max: 1, proven: true });
  limit.record('bad_status', 1, 0);
  limit.record('succeeded', 1, 0);
  expect(width(limit)).toBe(1);
});

it('the pause after ten time-outs that came together is as long as after five', () => {
  const limit = new ConcurrencyLimit({ max: 50, proven: true });
  for (let n = 0; n < 10; n += 1) limit.record('timeout', 10 - n, 0);
  expect([limit.allows(0, 999), limit.allows(0, 1_000)]).toEqual([false, true]);
});

it('an endpoint that only times out gets one probe at a time, with growing pauses, until it answers', () => {
  const limit = new ConcurrencyLimit({ max: 50, proven: true });
  for (let n = 0; n < 5; n += 1) limit.record('timeout', 1, 0);
  expect(limit.open).toBe(true);
  const pauses: number[] = [];
  let nowMs = 0;
  for (let n = 0; n < 7; n += 1) {
    const from = nowMs;
    while (!limit.allows(0, nowMs)) nowMs += 500;
    expect(limit.allows(1, nowMs)).toBe(false);
    pauses.push(nowMs - from);
    limit.record('timeout', 1, nowMs);
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  limit.record('bad_status', 1, nowMs);
  expect(limit.open).toBe(false);
  expect(width(limit, nowMs)).toBe(2);
});

it('an address that has yet to answer with success gets one attempt at a time, with pauses that grow to a minute', () => {
  const limit = new ConcurrencyLimit({ max: 50, proven: false });
  expect(width(limit)).toBe(1);
  const pauses: number[] = [];
  let nowMs = 0;
  for (const outcome of ['bad_status', 'connection', 'timeout', 'refused_address'] as const) {
    for (let n = 0; n < 2; n += 1) {
      const from = nowMs;
      while (!limit.allows(0, nowMs)) nowMs += 500;
      expect(limit.allows(1, nowMs)).toBe(false);
      pauses.push(nowMs - from);
      limit.record(outcome, 1, nowMs);
    }
  }
  expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  expect(limit.open).toBe(true);
  limit.record('succeeded', 1, nowMs);
  expect(width(limit, nowMs)).toBe(1);
  limit.markProven();
  expect([limit.open, width(limit, nowMs)]).toEqual([false, 4]);
});
