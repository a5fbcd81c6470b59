import type { Resources } from './lifecycle.ts';

/** The pause after a failure, in milliseconds, which nothing shortens. */
export type Retry = { readonly retryMs: number };

/**
 * Runs `work` again and again until `resources` are released. The release waits for the run in progress.
 *
 * @param work returns the pause before the next run, in milliseconds or as a {@link Retry}, or undefined to end. Must not
 * reject.
 * @returns a function that shortens the pause that follows the run in progress or the last one, to some milliseconds from
 * its beginning.
 */
export function keepDoing(
  work: (stopping: AbortSignal) => Promise<number | Retry | undefined>,
  resources: Resources,
): (pauseMs: number) => void {
  const stopping = new AbortController();
  let shortestMs = Number.POSITIVE_INFINITY;
  let changePause = () => {};
  const pause = (length: number | Retry) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const beganAt = performance.now();
    const pauseMs = () => (typeof length === 'object' ? length.retryMs : Math.min(length, shortestMs));
    let timer = setTimeout(resolve, pauseMs());
    changePause = () => {
      clearTimeout(timer);
      const leftMs = beganAt + pauseMs() - performance.now();
      if (leftMs > 0 && !stopping.signal.aborted) timer = setTimeout(resolve, leftMs);
      else resolve();
    };
    return promise;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      shortestMs = Number.POSITIVE_INFINITY;
      changePause = () => {};
      const length = await work(stopping.signal);
      if (length === undefined) return;
      if (!stopping.signal.aborted) await pause(length);
    }
  };
  const running = run();
  resources.defer(async () => {
    stopping.abort();
    changePause();
    await running;
  });
  return (pauseMs) => {
    if (pauseMs >= shortestMs) return;
    shortestMs = pauseMs;
    changePause();
  };
}

/**
 * Looks for work again and again until `resources` are released, rarely while there is none: each pause after a look that
 * found nothing is twice as long as the last one, from `firstMs` up to `maxMs`.
 *
 * @param look returns the pause until the next look in milliseconds where it knows it, a {@link Retry} after a failure, or
 * undefined when it found nothing. Must not reject.
 * @returns a function to call when there may be work: the next look then begins `firstMs` after the last one, or at once.
 */
export function keepLooking(
  look: (stopping: AbortSignal) => Promise<number | Retry | undefined>,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  resources: Resources,
): () => void {
  let idleMs = firstMs / 2;
  const shorten = keepDoing(async (stopping) => {
    const pause = await look(stopping);
    idleMs = pause === undefined ? Math.min(2 * idleMs, maxMs) : firstMs / 2;
    return pause ?? idleMs;
  }, resources);
  return () => shorten(firstMs);
}
