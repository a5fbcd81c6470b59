import type { SignalHistory } from '@sigcast/client';
import { describe, expect, it } from 'vitest';
import { changesIn, marksOf, pointsOf } from '../src/routes/signals/history-points.ts';

const figures = (value: number) => ({ open: 1, high: 9_999, low: 0, close: value });
const history: SignalHistory = {
  id: 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
  resolution: '1h',
  status: 'rugged',
  from: '2026-01-01T12:30:00.000Z',
  until: '2026-01-01T15:00:00.000Z',
  entry: { at: '2026-01-01T12:30:00.000Z', mcap: 100_000 },
  ath: { at: '2026-01-01T13:10:00.000Z', mcap: 280_000 },
  buckets: [
    {
      start: '2026-01-01T12:00:00.000Z',
      count: 2,
      mcap: figures(110_000),
      liquidity: figures(20_000),
    },
    { start: '2026-01-01T14:00:00.000Z', count: 1, mcap: figures(90_000), liquidity: figures(10) },
  ],
  changes: [
    {
      at: '2026-01-01T13:10:00.000Z',
      status: 'winner',
      decided_by: 'rule',
      rule: 'v1',
      decided_at: '2026-01-01T13:10:01.000Z',
      observations: ['2026-01-01T13:10:00.000Z'],
    },
    {
      at: '2026-01-01T14:10:00.000Z',
      status: 'rugged',
      decided_by: 'producer',
      rule: null,
      decided_at: '2026-01-01T14:10:01.000Z',
      observations: [],
    },
  ],
};

describe('the chart of a history', () => {
  it('has the last figures of each bucket, at the start of the bucket or of the range', () => {
    expect(pointsOf(history)).toEqual([
      { at: Date.parse('2026-01-01T12:30:00Z'), mcap: 110_000, liquidity: 20_000 },
      { at: Date.parse('2026-01-01T14:00:00Z'), mcap: 90_000, liquidity: 10 },
    ]);
  });

  it('shows the changes of the status that are in its range', () => {
    expect(changesIn(history).map(({ status }) => status)).toEqual(['winner', 'rugged']);
    const cut = { ...history, from: '2026-01-01T13:10:00.001Z', until: '2026-01-01T14:10:00.000Z' };
    expect(changesIn(cut)).toEqual([{ atMs: Date.parse('2026-01-01T14:10:00Z'), status: 'rugged' }]);
  });

  it('marks the entry, the highest market cap and each change of the status, and says who decided it', () => {
    expect(marksOf(history)).toEqual([
      expect.stringMatching(/^Entry: \$100K, .*2026/),
      expect.stringMatching(/^Highest: \$280K, .*2026/),
      expect.stringMatching(/^Winner: .*2026.*, decided by rule v1$/),
      expect.stringMatching(/^Rugged: .*2026.*, said by the producer$/),
    ]);
    const [winner] = history.changes;
    if (winner === undefined) throw new Error('the history has changes');
    const custom = { ...history, changes: [{ ...winner, rule: 'v1-custom' }] };
    expect(marksOf(custom).at(-1)).toMatch(/, decided by rule v1 with this system’s own thresholds$/);
  });
});
