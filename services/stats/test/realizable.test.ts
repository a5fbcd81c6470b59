import { realizableStatisticsSchema, signalTypes } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { toRealizable, toRealizablePoint } from '../src/domain/realizable.ts';

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
      rule: 'v1',
      signals: 4,
      avg_roi: 11,
      profitable: 50,
      by_exit: { open: 2, target: 1, stop: 1, end: 0 },
      by_type: {
        new: { signals: 3, avg_roi: 31.67, profitable: 66.67 },
        wallet: { signals: 1, avg_roi: -51, profitable: 0 },
        premium: { signals: 0, avg_roi: 0, profitable: 0, by_exit: none },
      },
    });
    expect(realizableStatisticsSchema.safeParse(shown).success).toBe(true);
    expect(toRealizablePoint([positions], ['new'])).toEqual({ signals: 3, avg_roi: 31.67 });
    expect(toRealizablePoint([new Map()], signalTypes)).toEqual({ signals: 0, avg_roi: 0 });
  });
});
