import { setTimeout as delay } from 'node:timers/promises';

/** Delay before try number `attempt` (from 1), in milliseconds: doubling from `firstMs` up to `maxMs`, with full jitter on the upper half. */
export function backoffMs(
  attempt: number,
  options: { firstMs: number; maxMs: number; random?: () => number },
): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** (attempt - 1));
  return ceiling / 2 + (ceiling / 2) * (options.random ?? Math.random)();
}

/** Waits, or rejects with an AbortError as soon as `signal` aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal });
}

/** Waits until `work` is done or has failed, which it then throws, but no longer than `ms` milliseconds. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([work, pause(ms, late.signal).catch(() => undefined)]);
  } finally {
    late.abort();
  }
}
