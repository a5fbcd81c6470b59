import { pause } from './backoff.ts';
import type { Resources } from './lifecycle.ts';

/**
 * Runs `work` again and again until `resources` are released. The release waits for the run in progress.
 *
 * @param work returns the pause before the next run in milliseconds, or undefined to end. Must not reject.
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
