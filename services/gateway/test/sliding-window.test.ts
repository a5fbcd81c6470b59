import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SlidingCount, slide, slidingFreeAtMs, slidingRemaining } from '../src/domain/sliding-window.ts';

const windowMs = 60_000;

/** Plays requests at given instants against the counter, and returns which were admitted. */
function play(instants: readonly number[], limit: number): number[] {
  const admitted: number[] = [];
  let count: SlidingCount | undefined;
  for (const nowMs of instants) {
    count = slide(count, nowMs, windowMs);
    if (slidingRemaining(count, { nowMs, windowMs, limit }) === 0) continue;
    count = { ...count, current: count.current + 1 };
    admitted.push(nowMs);
  }
  return admitted;
}

const instants = fc
  .array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 400 })
  .map((gaps) => {
    let nowMs = 0;
    return gaps.map((gap) => {
      nowMs += gap;
      return nowMs;
    });
  });

describe('the sliding window', () => {
  it('admits exactly the limit in a first window and nothing more', () => {
    expect(play(new Array<number>(200).fill(5), 60)).toHaveLength(60);
  });

  it('does not start afresh at the turn of the minute', () => {
    const atTheEnd = new Array<number>(60).fill(59_999);
    const atTheTurn = new Array<number>(60).fill(60_000);
    expect(play([...atTheEnd, ...atTheTurn], 60)).toHaveLength(60);
  });

  it('frees one request of sixty a second once the minute has turned', () => {
    const full: SlidingCount = { cell: 0, current: 60, previous: 0 };
    expect(slidingFreeAtMs(full, { nowMs: 100, windowMs, limit: 60 })).toBe(61_000);
    const later = slide(full, 90_000, windowMs);
    expect(slidingRemaining(later, { nowMs: 90_000, windowMs, limit: 60 })).toBe(30);
  });

  it('never admits more than the limit in one cell, nor by its own estimate in any window', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 70 }), (times, limit) => {
        const admitted = play(times, limit);
        const inCell = (cell: number) => admitted.filter((at) => Math.floor(at / windowMs) === cell).length;
        for (const at of admitted) {
          const cell = Math.floor(at / windowMs);
          const current = admitted.filter(
            (other) => other <= at && Math.floor(other / windowMs) === cell,
          ).length;
          const covered = 1 - (at - cell * windowMs) / windowMs;
          expect(inCell(cell)).toBeLessThanOrEqual(limit);
          expect(current + inCell(cell - 1) * covered).toBeLessThanOrEqual(limit + 1e-9);
        }
      }),
    );
  });

  it('says exactly when the next request is admitted: then, and not a millisecond earlier', () => {
    const counts = fc.record({ current: fc.nat(80), previous: fc.nat(80), at: fc.nat(windowMs - 1) });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 60 }), ({ current, previous, at }, limit) => {
        const count = { cell: 7, current, previous };
        const nowMs = 7 * windowMs + at;
        const freeAtMs = slidingFreeAtMs(count, { nowMs, windowMs, limit });
        const free = (instant: number) =>
          slidingRemaining(slide(count, instant, windowMs), { nowMs: instant, windowMs, limit }) > 0;
        expect(free(freeAtMs)).toBe(true);
        if (freeAtMs > nowMs) expect(free(freeAtMs - 1)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps counting when the clock steps back a little, and forgets when it jumps', () => {
    const count: SlidingCount = { cell: 10, current: 60, previous: 0 };
    const back = slide(count, 10 * windowMs - 1, windowMs);
    expect(slidingRemaining(back, { nowMs: 10 * windowMs - 1, windowMs, limit: 60 })).toBe(0);
    expect(slide(count, 2 * windowMs, windowMs).current).toBe(0);
  });
});
