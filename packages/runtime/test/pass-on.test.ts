import { expect, it, onTestFinished, vi } from 'vitest';
import { keepPassingOn, silentLogger } from '../src/index.ts';

it('what waits is looked for rarely while there is nothing, soon after some was passed on, and at once after a full batch; what can not be passed on holds up nothing else', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await using resources = new AsyncDisposableStack();
  const startedAt = performance.now();
  const looks: number[] = [];
  const waiting = new Set<number>();
  const refused = new Set<number>();
  const relay = keepPassingOn(
    {
      problem: 'they wait',
      find: async (limit: number) => {
        looks.push(performance.now() - startedAt);
        return [...waiting].slice(0, limit);
      },
      passOn: async (item) => {
        if (refused.has(item)) throw new Error('refused');
        waiting.delete(item);
      },
      pauses: { firstMs: 200, maxMs: 400 },
      log: silentLogger(),
    },
    resources,
  );
  await vi.advanceTimersByTimeAsync(1_100);
  waiting.add(1);
  await vi.advanceTimersByTimeAsync(650);
  for (let item = 1; item <= 101; item++) waiting.add(item);
  await vi.advanceTimersByTimeAsync(300);
  expect(looks).toEqual([0, 200, 600, 1_000, 1_400, 1_600, 1_800, 1_801, 2_001]);
  for (const item of [1, 2, 3]) waiting.add(item);
  refused.add(2);
  await vi.advanceTimersByTimeAsync(200);
  expect([[...waiting], relay.waiting]).toEqual([[2], 1]);
  refused.clear();
  await vi.advanceTimersByTimeAsync(400);
  expect([[...waiting], relay.waiting]).toEqual([[], 0]);
});
