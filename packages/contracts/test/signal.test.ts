import { describe, expect, it } from '@jest/globals';
import { roiHundredths } from '../src/index.ts';

describe('roiHundredths', () => {
  it('is percent with two decimals, as an integer', () => {
    expect(roiHundredths(100, 150)).toBe(5_000);
    expect(roiHundredths(3, 4)).toBe(3_333);
    expect(roiHundredths(100, 0)).toBe(-10_000);
    expect(roiHundredths(100, 100)).toBe(0);
  });

  it('has no negative zero, which JSON and comparisons treat differently', () => {
    expect(Object.is(roiHundredths(1_000_000, 999_999.9), 0)).toBe(true);
  });
});
