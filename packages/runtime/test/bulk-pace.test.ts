import { expect, it } from 'vitest';
import { BulkPace } from '../src/index.ts';

/** Resolves when what was begun before has had two turns of the event loop. */
const turn = async () => {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
};

/** A pace on a clock of its own, with work that ends when told to. */
function fixture({ isLive = true } = {}) {
  const state = { isLive, nowMs: 0 };
  const pauses: { ms: number; end: () => void; interrupt: (error: Error) => void }[] = [];
  const running: { end: (error?: Error) => void }[] = [];
  const pace = new BulkPace({
    isLive: () => state.isLive,
    batch: 8,
    pauseFactor: 16,
    nowMs: () => state.nowMs,
    pause: (ms) => new Promise<void>((end, interrupt) => pauses.push({ ms, end, interrupt })),
  });
  const run = (count: number) =>
    Array.from({ length: count }, () =>
      pace.run(
        () =>
          new Promise<void>((resolve, reject) =>
            running.push({ end: (error) => (error ? reject(error) : resolve()) }),
          ),
      ),
    );
  return { state, pauses, running, pace, run };
}

it('bulk work runs at once, however much, while there is no live work', async () => {
  const { running, pauses, pace, run } = fixture({ isLive: false });
  const all = run(100);
  await turn();
  expect(running).toHaveLength(100);
  for (const each of running) each.end();
  await Promise.all(all);
  expect(pauses).toEqual([]);
  expect(pace.maxBatch).toBe(Number.POSITIVE_INFINITY);
});

it('beside live work, bulk work runs in bounded batches and pauses after each for a multiple of the time that it took', async () => {
  const { state, running, pauses, pace, run } = fixture();
  const all = run(20);
  for (const [batch, tookMs] of [
    [8, 10],
    [8, 2],
    [4, 1_000],
  ] as const) {
    expect(pace.maxBatch).toBe(8);
    await turn();
    expect(running).toHaveLength(batch);
    state.nowMs += tookMs;
    for (const each of running.splice(0)) each.end();
    await turn();
    expect(running).toEqual([]);
    state.nowMs += 12_345;
    pauses.at(-1)?.end();
  }
  await Promise.all(all);
  expect(pauses.map(({ ms }) => ms)).toEqual([160, 32, 5_000]);
});

it('work that fails is followed by the next work like any other', async () => {
  const { running, pauses, run } = fixture();
  const all = Promise.allSettled(run(9));
  await turn();
  for (const each of running.splice(0)) each.end(new Error('refused'));
  await turn();
  pauses[0]?.end();
  await turn();
  running[0]?.end();
  const results = await all;
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 8 }, () => 'rejected'),
    'fulfilled',
  ]);
});

it('work that comes while the pace pauses waits for the end of the pause, also when live work has ended meanwhile', async () => {
  const { state, running, pauses, run } = fixture();
  const first = run(1);
  await turn();
  running.shift()?.end();
  await turn();
  expect(pauses).toHaveLength(1);
  state.isLive = false;
  const second = run(3);
  await turn();
  expect(running).toEqual([]);
  pauses[0]?.end();
  await turn();
  expect(running).toHaveLength(3);
  for (const each of running) each.end();
  await Promise.all([...first, ...second]);
  expect(pauses).toHaveLength(1);
});

it('an interrupted pause lets the work go on', async () => {
  const { running, pauses, run } = fixture();
  const all = run(9);
  await turn();
  for (const each of running.splice(0)) each.end();
  await turn();
  expect(running).toEqual([]);
  pauses[0]?.interrupt(new Error('the process stops'));
  await turn();
  expect(running).toHaveLength(1);
  running[0]?.end();
  await Promise.all(all);
});

it('there is no pause after work that began before live work did', async () => {
  const { state, running, pauses, run } = fixture({ isLive: false });
  const all = run(2);
  await turn();
  state.nowMs = 1_000_000;
  state.isLive = true;
  for (const each of running) each.end();
  await Promise.all(all);
  await turn();
  expect(pauses).toEqual([]);
});
