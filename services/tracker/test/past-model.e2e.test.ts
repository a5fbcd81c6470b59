import { modelRuns } from '@sigcast/testing';
import { describe, it, vi } from 'vitest';
import { useMongo } from './fixture.ts';
import { comparePastWithReplay } from './past-model.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describe('the past', () => {
  const mongo = useMongo();

  it('lists, details and statistics as of thousands of random instants equal a replay of what was recorded by then, in whatever order events came, however often, and wherever the process was killed', async () => {
    await comparePastWithReplay(mongo(), { ...modelRuns(250), instants: 40 });
  });
});
