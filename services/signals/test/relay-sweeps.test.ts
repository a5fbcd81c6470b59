import { silentLogger } from '@sigcast/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startRelay } from '../src/relay/relay.ts';

it('sweeps come every second for 10 s after the start and after each notification, and otherwise every 5 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startedAt = performance.now();
  const sweeps: number[] = [];
  const relay = startRelay({
    outbox: {
      claim: async () => {
        sweeps.push((performance.now() - startedAt) / 1_000);
        return { token: '', signals: [] };
      },
      removePublished: async () => {},
      release: async () => {},
    },
    archive: { keep: async () => {} },
    publish: async () => {},
    log: silentLogger(),
    now: () => new Date(),
    sweepEveryMs: 1_000,
  });
  await vi.advanceTimersByTimeAsync(21_000);
  expect(sweeps.splice(0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 19]);
  // Two seconds into an idle pause: what could not be published now is found after another second.
  relay.notify([]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(sweeps).toEqual([21, 22]);
  const closed = relay.close();
  await vi.advanceTimersByTimeAsync(0);
  await closed;
});
