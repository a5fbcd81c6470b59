import { expect, it, vi } from 'vitest';
import { keepDoing, keepLooking } from '../src/index.ts';

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

it('a pause that is shortened at any moment after the run before it began is short', async () => {
  const resources = new AsyncDisposableStack();
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  let runs = 0;
  const shorten = keepDoing(() => {
    runs += 1;
    if (runs === 20) end();
    // One turn of the microtask queue later each time: during the run, between run and pause, in the pause.
    const ended = Promise.resolve(3_600_000);
    let turn = Promise.resolve();
    for (let i = 0; i < runs; i += 1) turn = turn.then(() => undefined);
    void turn.then(() => shorten(0));
    return ended;
  }, resources);
  await done;
  await resources.disposeAsync();
  expect(runs).toBe(20);
});

it('looks come ever more rarely while they find nothing, as soon as they ask for, and soon after a notification', async () => {
  vi.useFakeTimers();
  const resources = new AsyncDisposableStack();
  const startedAt = performance.now();
  const looks: number[] = [];
  let pauseMs: number | { retryMs: number } | undefined;
  let duringLook = () => {};
  const notify = keepLooking(
    async () => {
      looks.push(performance.now() - startedAt);
      duringLook();
      return pauseMs;
    },
    { firstMs: 100, maxMs: 500 },
    resources,
  );
  const looksUntil = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(startedAt + ms - performance.now());
    return looks.splice(0);
  };
  expect(await looksUntil(1_750)).toEqual([0, 100, 300, 700, 1_200, 1_700]);
  pauseMs = 30;
  notify();
  expect(await looksUntil(1_850)).toEqual([1_800, 1_830]);
  pauseMs = undefined;
  expect(await looksUntil(2_200)).toEqual([1_860, 1_960, 2_160]);
  // Work that comes while a look is under way may have come too late for it.
  duringLook = notify;
  expect(await looksUntil(2_800)).toEqual([2_560, 2_660, 2_760]);
  // A store that fails is left alone, whatever comes.
  pauseMs = { retryMs: 300 };
  expect(await looksUntil(3_200)).toEqual([2_860, 3_160]);
  await resources.disposeAsync();
  vi.useRealTimers();
});
