import { modelRuns } from '@sigcast/testing';
import { describe, expect, it, vi } from 'vitest';
import { useMongo } from '../fixture.ts';
import { compareBacktests } from './model.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describe('many backtests', () => {
  const mongo = useMongo();

  it('hundreds of random backtests equal what a client would have earned who asked at each instant, in whatever order events came and wherever the process was killed', async () => {
    const { ends } = await compareBacktests(mongo(), modelRuns(300));
    for (const end of ['open', 'target', 'stop', 'end', 'no_entry', 'filtered'])
      expect([end, (ends.get(end) ?? 0) > 0]).toEqual([end, true]);
  });
});
