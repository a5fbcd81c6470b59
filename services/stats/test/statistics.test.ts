import { describe, expect, it } from '@jest/globals';
import { divideRounded, realizableStatisticsSchema, signalTypes, statisticsSchema } from '@sigcast/contracts';
import { bucketOf, percentilesOf, toStatistics } from '@sigcast/statistics';
import fc from 'fast-check';
import { factEventSchema, factOf } from '../src/domain/fact.ts';
import { toRealizable, toRealizablePoint } from '../src/domain/realizable.ts';
import { eventOf } from './events.ts';

const percents = [
  ['p10', 10],
  ['p25', 25],
  ['median', 50],
  ['p75', 75],
  ['p90', 90],
] as const;

const asOf = new Date('2026-01-01T00:00:00Z');

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

describe('a fact', () => {
  const revision = {
    signal: 1,
    type: 'new',
    status: 'active',
    roi: 5,
    createdAtMs: asOf.getTime(),
    rev: 2,
  } as const;
  const v1 = { rule: 'v1', roi: 12.34, entered_at: asOf.toISOString(), exited_at: null, exit: null };

  it('has the position of its event by the rule that is counted', () => {
    const { realizable } = factOf(factEventSchema.parse({ ...eventOf(revision), realizable: v1 }));
    expect(realizable).toEqual({ roi: 1_234, exit: 'open' });
  });

  it.each([
    ['another version with other members', { rule: 'v2', exit: 'trailing', legs: [1] }],
    ['another rule', { rule: 'momentum' }],
    ['an exit that is not known', { ...v1, exit: 'trailing' }],
    ['no ROI', { ...v1, roi: null }],
  ])('has no position where the event has %s, and all its other figures', (_what, realizable) => {
    const event = eventOf(revision);
    expect(factOf(factEventSchema.parse({ ...event, realizable }))).toEqual(
      factOf(factEventSchema.parse(event)),
    );
  });
});

describe('toStatistics', () => {
  it('is all zeros over no signals, with all six types', () => {
    const none = { total: 0, winners: 0, win_rate: 0 };
    expect(toStatistics(new Map(), signalTypes, asOf)).toEqual({
      total_signals: 0,
      winners: 0,
      win_rate: 0,
      avg_roi: 0,
      best_roi: 0,
      by_type: { new: none, '3d': none, '7d': none, '30d': none, wallet: none, premium: none },
      as_of: '2026-01-01T00:00:00.000Z',
    });
  });

  it('derives the whole from the parts', () => {
    const statistics = toStatistics(
      new Map([
        ['new', { total: 2, winners: 1, roiSum: 12_345n, roiMax: 20_000 }],
        ['wallet', { total: 1, winners: 1, roiSum: -10_000n, roiMax: -10_000 }],
      ]),
      signalTypes,
      asOf,
    );
    expect(statistics).toMatchObject({
      total_signals: 3,
      winners: 2,
      win_rate: 66.67,
      avg_roi: 7.82,
      best_roi: 200,
      by_type: {
        new: { total: 2, winners: 1, win_rate: 50 },
        wallet: { total: 1, winners: 1, win_rate: 100 },
        premium: { total: 0, winners: 0, win_rate: 0 },
      },
    });
    expect(statisticsSchema.safeParse(statistics).success).toBe(true);
  });

  it('has a best roi below zero when every signal lost', () => {
    const losses = new Map([['new', { total: 1, winners: 0, roiSum: -1n, roiMax: -1 }]] as const);
    expect(toStatistics(losses, ['new'], asOf)).toMatchObject({ avg_roi: -0.01, best_roi: -0.01 });
  });
});

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
        for (const bucket of values.map(bucketOf)) histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
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

describe('toRealizable', () => {
  const none = { open: 0, target: 0, stop: 0, end: 0 };
  const positions = new Map([
    [
      'new',
      {
        byExit: { ...none, open: 2, target: 1 },
        roiSum: 9_500n,
        roi: new Map([
          [0, 1],
          [1, 1],
          [700, 1],
        ]),
      },
    ],
    ['wallet', { byExit: { ...none, stop: 1 }, roiSum: -5_100n, roi: new Map([[-600, 1]]) }],
  ] as const);

  it('derives the whole from the parts, and counts as profitable what is above 0', () => {
    const shown = toRealizable(positions, signalTypes);
    expect(shown).toMatchObject({
      ...{
        rule: 'v1',
        signals: 4,
        avg_roi: 11,
        profitable: 50,
        by_exit: { open: 2, target: 1, stop: 1, end: 0 },
      },
      by_type: {
        new: { signals: 3, avg_roi: 31.67, profitable: 66.67 },
        wallet: { signals: 1, avg_roi: -51, profitable: 0 },
        premium: { signals: 0, avg_roi: 0, profitable: 0, by_exit: none },
      },
    });
    expect(realizableStatisticsSchema.safeParse(shown).success).toBe(true);
    expect(toRealizablePoint(positions, ['new'])).toEqual({ signals: 3, avg_roi: 31.67 });
    expect(toRealizablePoint(new Map(), signalTypes)).toEqual({ signals: 0, avg_roi: 0 });
  });
});

describe('factOf', () => {
  it('a position by another version of the exit rule is none', () => {
    const revision = { signal: 1, type: 'new', status: 'active', roi: 1, createdAtMs: 0, rev: 1 } as const;
    const event = eventOf({ ...revision, realizable: { roi: 9_505, exit: 'target' } });
    expect(factOf(event).realizable).toEqual({ roi: 9_505, exit: 'target' });
    const other = event.realizable && { ...event.realizable, rule: 'v2' };
    expect(factOf({ ...event, realizable: other }).realizable).toBeUndefined();
    expect(factOf(eventOf(revision)).realizable).toBeUndefined();
  });

  it('takes the roi back to the very integer it was published from', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 2 ** 45 }), (roi) => {
        const event = eventOf({ signal: 1, type: 'new', status: 'active', roi, createdAtMs: 0, rev: 1 });
        expect(factOf(event).roi).toBe(roi);
      }),
    );
  });
});
