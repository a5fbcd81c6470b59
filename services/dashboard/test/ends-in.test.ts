import { describe, expect, it } from 'vitest';
import { endsIn } from '../src/routes/profile/ends-in.ts';

const dayMs = 86_400_000;

describe('the time until a key ends', () => {
  it.each([
    [dayMs - 4_000, 'in 1 day'],
    [7 * dayMs - 4_000, 'in 7 days'],
    [30 * dayMs - 4_000, 'in 30 days'],
    [365 * dayMs - 4_000, 'in 1 year'],
    [23 * 3_600_000, 'in 23 hours'],
    [36 * 3_600_000, 'in 2 days'],
    [200 * dayMs, 'in 200 days'],
    [3_600_000 - 4_000, 'in 1 hour'],
    [90_000, 'in 2 minutes'],
    [10_000, 'in less than a minute'],
  ])('of %i ms reads as %s', (leftMs, words) => {
    expect(endsIn(leftMs)).toBe(words);
  });
});
