/**
 * How long to wait before try number `attempt` (from 1) is followed by another, in milliseconds: doubling from
 * `firstMs` to `maxMs`, and between half and all of that, so that clients that failed together don't return together.
 */
export function backoffMs(
  attempt: number,
  { firstMs, maxMs, random }: { firstMs: number; maxMs: number; random: () => number },
): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** (attempt - 1));
  return (ceilingMs / 2) * (1 + random());
}

/** Waits. @throws the signal's reason as soon as it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      // Whatever the caller gave as the reason is theirs to receive.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
