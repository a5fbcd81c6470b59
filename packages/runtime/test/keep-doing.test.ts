import { expect, it } from 'vitest';
import { keepDoing } from '../src/index.ts';

it('work is repeated until it returns undefined', async () => {
  await using resources = new AsyncDisposableStack();
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const times: number[] = [];
  keepDoing(async () => {
    if (times.push(times.length) < 3) return 0;
    end();
    return undefined;
  }, resources);
  await done;
  await resources.disposeAsync();
  expect(times).toEqual([0, 1, 2]);
});

it('releasing the resources tells the run in progress to stop, waits for its end, and no other run follows', async () => {
  const resources = new AsyncDisposableStack();
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let runs = 0;
  let stopped = false;
  keepDoing(async (stopping) => {
    runs += 1;
    begin();
    await held;
    stopped = stopping.aborted;
    return 0;
  }, resources);
  await began;
  const releasing = resources.disposeAsync();
  letGo();
  await releasing;
  expect([runs, stopped]).toEqual([1, true]);
});
