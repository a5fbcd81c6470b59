import { pause } from './backoff.ts';
import type { Resources } from './lifecycle.ts';

/**
 * Does `work` again and again until `resources` are released, which waits for the one under way.
 *
 * @param work says after how many milliseconds it is to be done again, or nothing when it is done for good. Must not reject.
 */
export function keepDoing(
  work: (stopping: AbortSignal) => Promise<number | undefined>,
  resources: Resources,
): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const pauseMs = await work(signal);
      if (pauseMs === undefined) return;
      await pause(pauseMs, signal).catch(() => undefined);
    }
  };
  const running = run();
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}
