import type { Resources } from './lifecycle.ts';

/**
 * Runs `work` again and again until `resources` are released. The release waits for the run in progress.
 *
 * @param work returns the pause before the next run in milliseconds, or undefined to end. Must not reject.
 * @returns a function that shortens the present pause, if there is one, to some milliseconds from its beginning.
 */
export function keepDoing(
  work: (stopping: AbortSignal) => Promise<number | undefined>,
  resources: Resources,
): (pauseMs: number) => void {
  const stopping = new AbortController();
  let shorten = (_pauseMs: number) => {};
  const pause = (pauseMs: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const beganAt = performance.now();
    let shortestMs = pauseMs;
    let timer = setTimeout(resolve, pauseMs);
    shorten = (ms) => {
      if (ms >= shortestMs) return;
      shortestMs = ms;
      clearTimeout(timer);
      const leftMs = beganAt + ms - performance.now();
      if (leftMs > 0) timer = setTimeout(resolve, leftMs);
      else resolve();
    };
    return promise;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      const pauseMs = await work(stopping.signal);
      if (pauseMs === undefined) return;
      if (!stopping.signal.aborted) await pause(pauseMs);
    }
  };
  const running = run();
  resources.defer(async () => {
    stopping.abort();
    shorten(0);
    await running;
  });
  return (pauseMs) => shorten(pauseMs);
}

/**
 * Looks for work again and again until `resources` are released, rarely while there is none: each pause after a look that
 * found nothing is twice as long as the last one, from `firstMs` up to `maxMs`.
 *
 * @param look returns the pause until the next look in milliseconds where it knows it, or undefined when it found nothing.
 * Must not reject.
 * @returns a function to call when there may be work: the next look then begins `firstMs` after the last one, or at once.
 */
export function keepLooking(
  look: (stopping: AbortSignal) => Promise<number | undefined>,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  resources: Resources,
): () => void {
  let idleMs = firstMs / 2;
  let notified = false;
  const shorten = keepDoing(async (stopping) => {
    notified = false;
    const pauseMs = await look(stopping);
    idleMs = pauseMs === undefined ? Math.min(2 * idleMs, maxMs) : firstMs / 2;
    const ms = pauseMs ?? idleMs;
    return notified ? Math.min(ms, firstMs) : ms;
  }, resources);
  return () => {
    notified = true;
    shorten(firstMs);
  };
}
