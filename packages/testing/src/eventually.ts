import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` until it neither throws nor rejects, and returns what it returned. Tests wait with this for a
 * condition, never for a time.
 *
 * @throws the last failure, when `timeoutMs` (15 s) have passed.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 15_000, everyMs = 25 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(everyMs);
    }
  }
}
