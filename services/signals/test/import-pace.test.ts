import { expect, it } from 'vitest';
import { importPace } from '../src/domain/import-pace.ts';

function open() {
  const pauses: number[] = [];
  let nowMs = 0;
  const pace = importPace({ pause: async (ms) => void pauses.push(ms), nowMs: () => nowMs });
  let events = 0;
  return {
    pace,
    pauses,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** A batch that takes 10 ms, beside live events that take so long to the broker. @returns the lines of the next one, and the pause. */
    batchBeside: async (...waysMs: number[]) => {
      for (const ms of waysMs) {
        events += 1;
        const id = `evt_${events}`;
        pace.stored(id, 'live');
        nowMs += ms;
        pace.relayed(id);
      }
      await pace.pauseAfter(10);
      return [pace.maxBatch, Math.round(pauses.at(-1) ?? 0)];
    },
  };
}

it('beside live writes, an import pauses for a multiple of the time that a batch took, 5 s at most, and else not at all', async () => {
  const { pace, pauses, pass } = open();
  await pace.pauseAfter(10);
  expect([pace.maxBatch, pauses]).toEqual([Number.POSITIVE_INFINITY, []]);
  pace.stored('evt_1', 'bulk');
  for (const tookMs of [10, 1_000]) await pace.pauseAfter(tookMs);
  expect([pace.maxBatch, pauses]).toEqual([6, [160, 5_000]]);
  pass(10_000);
  expect(pace.maxBatch).toBe(Number.POSITIVE_INFINITY);
});

it('an import writes more lines at a time while live events reach the broker within 8 ms, and half as many once one does not', async () => {
  const { pace, pass, batchBeside } = open();
  for (let batch = 0; batch < 40; batch += 1) await batchBeside(2, 4);
  expect(await batchBeside(4)).toEqual([30, 33]);
  expect(await batchBeside()).toEqual([30, 32]); // nothing is known of this one
  expect(await batchBeside(4, 8.1)).toEqual([15, 32]);
  pace.stored('evt_stuck', 'live');
  pass(9);
  expect(await batchBeside()).toEqual([8, 64]);
  for (let batch = 0; batch < 9; batch += 1) await batchBeside();
  expect(pace.maxBatch).toBe(6);
  // After a while without live writes, an import begins anew.
  for (let batch = 0; batch < 50; batch += 1) await batchBeside(1);
  pass(60_000);
  pace.stored('evt_next', 'live');
  expect(pace.maxBatch).toBe(6);
});

it('where live events take long without an import, they may take 2.5 times as long beside one', async () => {
  const { pace, pass, batchBeside } = open();
  for (let event = 0; event < 100; event += 1) {
    pace.stored(`evt_before_${event}`, 'live');
    pass(20);
    pace.relayed(`evt_before_${event}`);
  }
  await pace.pauseAfter(10);
  for (let batch = 0; batch < 40; batch += 1) await batchBeside(49);
  expect(pace.maxBatch).toBe(7);
  for (let batch = 0; batch < 40; batch += 1) await batchBeside(20);
  expect(pace.maxBatch).toBe(36);
  await batchBeside(51);
  expect(pace.maxBatch).toBe(18);
});
