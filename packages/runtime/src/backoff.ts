import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Delay before try `attempt` (from 1), in milliseconds. Doubles from `firstMs` up to `maxMs`; the upper half is random. */
export function backoffMs(
  attempt: number,
  options: { firstMs: number; maxMs: number; random?: () => number },
): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** (attempt - 1));
  return ceiling / 2 + (ceiling / 2) * (options.random ?? Math.random)();
}

/** Waits for `ms` milliseconds. @throws an AbortError as soon as `signal` aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal });
}

/**
 * Waits for `work`, but no longer than `ms` milliseconds. Then it lets Node read its sockets once more: after a pause of this
 * process (garbage collection, a busy machine) overdue timers run before answers are read, which came in time.
 * @returns the result of `work`; undefined when the time is over first.
 * @throws what `work` throws by then.
 */
export async function waitAtMost<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = new AbortController();
  try {
    const over = pause(ms, late.signal).then(() => nextTurn());
    return await Promise.race([work, over.then(nothing, nothing)]);
  } finally {
    late.abort();
  }
}

const nothing = () => undefined;
