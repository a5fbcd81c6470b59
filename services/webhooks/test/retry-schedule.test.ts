import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextStep } from '../src/domain/delivery.ts';
import { pickSlice, waitingQueues } from '../src/domain/retry-schedule.ts';

describe('the retry schedule', () => {
  it('keeps every delay within 15 % of its step', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 86_400_000 }), { maxLength: 5 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (delays, random) => {
          waitingQueues(delays).forEach((slices, step) => {
            const { ttlMs } = pickSlice(slices, () => random);
            const delay = delays[step] ?? 0;
            expect(Math.abs(ttlMs - delay)).toBeLessThanOrEqual(Math.max(1, delay * 0.15 + 0.5));
          });
        },
      ),
    );
  });

  it('names a queue after its delay, so that another schedule never meets queues of the old one', () => {
    const names = (delays: number[]) =>
      waitingQueues(delays)
        .flat()
        .map(({ name }) => name);
    expect(new Set([...names([1_000]), ...names([2_000])]).size).toBe(8);
  });

  it('allows three retries after the first attempt, then fails', () => {
    const walk = [1, 2, 3, 4].map((attempt) => nextStep(false, attempt, 3));
    expect(walk).toEqual([
      { status: 'pending', step: 0 },
      { status: 'pending', step: 1 },
      { status: 'pending', step: 2 },
      { status: 'failed' },
    ]);
    expect(nextStep(true, 4, 3)).toEqual({ status: 'delivered' });
  });
});
