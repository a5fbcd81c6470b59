import type { SignalHistory } from '@sigcast/client';
import { describe, expect, it } from 'vitest';
import { changesIn, marksOf, tracedOf } from '../src/routes/signals/history-points.ts';

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

describe('the trace of a history', () => {
  it('has the last market cap of each bucket, at the end of the bucket or of the range, and when the order was held', () => {
    const realizable = {
      rule: 'v1',
      roi: 4,
      entered_at: '2026-01-01T12:31:00.000Z',
      exited_at: null,
      exit: null,
    };
    const { points, held } = tracedOf(history, realizable);
    expect(points).toEqual([
      { at: Date.parse('2026-01-01T13:00:00Z'), value: 110_000 },
      { at: Date.parse('2026-01-01T15:00:00Z'), value: 90_000 },
    ]);
    expect(held).toEqual({ from: Date.parse('2026-01-01T12:31:00Z'), until: null });
  });

  it('shows the changes of the status that are in its range', () => {
    expect(changesIn(history).map(({ word }) => word)).toEqual(['Winner', 'Rugged']);
    const cut = { ...history, from: '2026-01-01T13:10:00.001Z', until: '2026-01-01T14:10:00.000Z' };
    expect(changesIn(cut)).toEqual([{ at: Date.parse('2026-01-01T14:10:00Z'), word: 'Rugged', tone: 'bad' }]);
  });

  it('marks the entry, the highest market cap and each change of the status, and says who decided it', () => {
    expect(marksOf(history)).toEqual([
      expect.stringMatching(/^Entry: \$100K, .*2026/),
      expect.stringMatching(/^Peak: \$280K, .*2026/),
      expect.stringMatching(/^Winner: .*2026.*, decided by rule v1$/),
      expect.stringMatching(/^Rugged: .*2026.*, set by producer$/),
    ]);
    const [winner] = history.changes;
    if (winner === undefined) throw new Error('the history has changes');
    const custom = { ...history, changes: [{ ...winner, rule: 'v1-custom' }] };
    expect(marksOf(custom).at(-1)).toMatch(/, decided by rule v1 with this system’s own thresholds$/);
  });
});
