/**
 * The pause after attempt number `attempt` (from 1), in milliseconds. The longest pause doubles from `firstMs` to `maxMs`;
 * the result is random between half of it and all, so that clients that failed together don't return together.
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
      // The caller's own reason, which need not be an Error.
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

/** Thrown when the time of `within` is over. */
export class TimeIsOver extends Error {}

/**
 * The result of `work`, unless `signal` aborts or the time is over before. In both cases, the signal passed to `work` aborts.
 * `AbortSignal.any` and `fetch` would not do: in Node 20 both forget their signals at garbage collection.
 *
 * @throws the signal's reason, {TimeIsOver}, or what `work` throws.
 */
export async function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const ending = new AbortController();
  const abort = () => ending.abort(signal?.reason);
  const timer = setTimeout(() => ending.abort(new TimeIsOver()), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) abort();
    ending.signal.throwIfAborted();
    const ended = new Promise<never>((_, reject) => {
      // The caller's own reason, which need not be an Error.
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error), { once: true });
    });
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
