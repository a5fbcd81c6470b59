import { expect, it } from 'vitest';
import { importPace } from '../src/domain/import-pace.ts';

it('beside live writes, an import pauses for a multiple of the time that a batch took, 5 s at most, and else not at all', async () => {
  const pauses: number[] = [];
  let isLive = false;
  const pace = importPace({ isLive: () => isLive, pause: async (ms) => void pauses.push(ms) });
  await pace.pauseAfter(10);
  expect([pace.maxBatch, pauses]).toEqual([Number.POSITIVE_INFINITY, []]);
  isLive = true;
  for (const tookMs of [10, 1_000]) await pace.pauseAfter(tookMs);
  expect([pace.maxBatch, pauses]).toEqual([6, [160, 5_000]]);
});
