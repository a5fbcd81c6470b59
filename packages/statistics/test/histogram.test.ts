import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTo, bucketOf, percentilesOf } from '../src/index.ts';

const percents = [
  ['p10', 10],
  ['p25', 25],
  ['median', 50],
  ['p75', 75],
  ['p90', 90],
] as const;

describe('percentiles', () => {
  const hundredths = fc.oneof(
    fc.integer({ min: -10_000, max: 1_000_000 }),
    fc.maxSafeInteger(),
    fc.constantFrom(0, 199, 200, 499, 500, 999, 1_000, -10_000, Number.MAX_SAFE_INTEGER),
  );

  it('percentiles are within 0.5 % of the exact ones by nearest rank, and exact below 2 %, whatever the values', () => {
    const off = (exact: number, shown: number) => Math.abs(shown - exact) / Math.max(1, Math.abs(exact));
    fc.assert(
      fc.property(fc.array(hundredths, { minLength: 1, maxLength: 200 }), (values) => {
        const histogram = new Map<number, number>();
        for (const value of values) addTo(histogram, value);
        const shown = percentilesOf([histogram]);
        const ascending = values.toSorted((a, b) => a - b);
        for (const [name, percent] of percents) {
          const exact = ascending[Math.ceil((percent * values.length) / 100) - 1] ?? Number.NaN;
          expect(off(exact / 100, shown[name])).toBeLessThanOrEqual(0.005);
          if (Math.abs(exact) < 200) expect(shown[name]).toBe(exact / 100);
        }
      }),
    );
  });

  it('percentiles of several types are those of all their signals together', () => {
    const parts = [[100, 100, 100], [-5_000], [20_000, 30_000]].map(
      (values) => new Map([...Map.groupBy(values, bucketOf)].map(([bucket, own]) => [bucket, own.length])),
    );
    expect(percentilesOf(parts)).toEqual({ p10: -50, p25: 1, median: 1, p75: 200, p90: 300 });
  });

  it('percentiles of 0, 50, 100 and −100 % are exact, and 0 over no signals', () => {
    for (const percent of [0, 50, 100, -100, 1_000]) {
      expect(percentilesOf([new Map([[bucketOf(percent * 100), 1]])]).median).toBe(percent);
    }
    expect(percentilesOf([])).toEqual({ p10: 0, p25: 0, median: 0, p75: 0, p90: 0 });
  });

  it('buckets are whole numbers below 2^14 in size, in the order of their values', () => {
    fc.assert(
      fc.property(hundredths, hundredths, (a, b) => {
        if (a < b) expect(bucketOf(a)).toBeLessThanOrEqual(bucketOf(b));
        expect(Math.abs(bucketOf(a))).toBeLessThan(2 ** 14);
      }),
    );
  });
});
