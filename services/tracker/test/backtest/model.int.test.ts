import { describe, expect, it, vi } from 'vitest';
import { useMongo } from '../fixture.ts';
import { compareBacktests } from './model.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('a random backtest', () => {
  const mongo = useMongo();

  it('equals what a client would have earned who asked at each instant, and stays the same when all that was known later is removed', async () => {
    const { ends } = await compareBacktests(mongo(), { numRuns: 20 });
    expect(ends.get('end')).toBeGreaterThan(0);
  });
});
