import { signalTypes, statisticsSchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { toStatistics } from '../src/index.ts';

const asOf = new Date('2026-01-01T00:00:00Z');

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
