import { expect, it } from 'vitest';
import { retryDelayMs } from '../src/domain/retry-schedule.ts';

it('a retry is spread evenly over ±15 % of its pause', () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((random) => retryDelayMs(10_000, () => random))).toEqual([
    8_500, 9_250, 10_000, 10_750, 11_500,
  ]);
  expect(retryDelayMs(1, () => 0)).toBe(1);
});
