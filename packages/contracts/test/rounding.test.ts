import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideRounded, roiHundredths } from '../src/index.ts';

describe('divideRounded', () => {
  it.each([
    [1n, 2, 1],
    [-1n, 2, -1],
    [3n, 2, 2],
    [-3n, 2, -2],
    [1n, 3, 0],
    [2n, 3, 1],
    [0n, 7, 0],
  ])('%d / %d is %d: halves go away from zero', (dividend, divisor, quotient) => {
    expect(divideRounded(dividend, BigInt(divisor))).toBe(quotient);
  });

  it('never yields a negative zero', () => {
    expect(Object.is(divideRounded(-1n, 3n), 0)).toBe(true);
  });

  it('is exact far beyond what a number holds', () => {
    const dividends = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(dividends, fc.integer({ min: 2 ** 30, max: 2 ** 40 }), (dividend, divisor) => {
        const twiceOff = 2n * (BigInt(divideRounded(dividend, BigInt(divisor))) * BigInt(divisor) - dividend);
        const twiceOffAwayFromZero = dividend < 0n ? -twiceOff : twiceOff;
        expect(twiceOffAwayFromZero > -BigInt(divisor) && twiceOffAwayFromZero <= BigInt(divisor)).toBe(true);
      }),
    );
  });
});

describe('roiHundredths', () => {
  it('roiHundredths is percent with two decimals, as an integer', () => {
    expect(roiHundredths(100, 150)).toBe(5_000);
    expect(roiHundredths(3, 4)).toBe(3_333);
    expect(roiHundredths(100, 0)).toBe(-10_000);
    expect(roiHundredths(100, 100)).toBe(0);
    expect(roiHundredths(0.000_000_1, 1e21)).toBe(Number(10n ** 32n));
  });

  it('roiHundredths is never negative zero, which JSON and comparisons treat differently', () => {
    expect(Object.is(roiHundredths(1_000_000, 999_999.9), 0)).toBe(true);
  });

  it('roiHundredths rounds every exact half away from zero, for gains and for losses', () => {
    for (let k = 0; k < 5_000; k++) {
      const half = k + 0.5;
      expect(roiHundredths(10_000, 10_000 + half)).toBe(k + 1);
      expect(roiHundredths(10_000, 10_000 - half)).toBe(-(k + 1));
    }
    expect(roiHundredths(10_000, 10_010.5)).toBe(11);
  });

  it('roiHundredths agrees with exact whole-number arithmetic on the same decimals', () => {
    const cents = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const places = fc.integer({ min: 0, max: 6 });
    const written = (digits: bigint, n: number) => Number(`${digits}e-${n}`);
    fc.assert(
      fc.property(
        ...[cents.filter((digits) => digits > 0n), places, cents, places],
        (entry, entryPlaces, mcap, mcapPlaces) => {
          const [a, b] = [entry * 10n ** BigInt(6 - entryPlaces), mcap * 10n ** BigInt(6 - mcapPlaces)];
          // Twice the rounding error is at most one unit. An error of exactly half a unit points away from zero.
          const hundredths = roiHundredths(written(entry, entryPlaces), written(mcap, mcapPlaces));
          fc.pre(Number.isSafeInteger(hundredths)); // larger results are refused where signals are written
          const published = BigInt(hundredths);
          const exact = (b - a) * 10_000n;
          const off = 2n * (exact - published * a);
          expect(off <= a && off >= -a).toBe(true);
          if (off === a) expect(exact < 0n).toBe(true);
          if (off === -a) expect(exact > 0n).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
