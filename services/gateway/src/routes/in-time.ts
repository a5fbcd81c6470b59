import { waitAtMost } from '@sigcast/runtime';

/** What is read, or `away` where that fails or takes longer. */
export async function inTime<T>(read: Promise<T>, timeoutMs: number): Promise<T | 'away'> {
  const known = read.then(
    (value) => ({ value }),
    () => undefined,
  );
  const found = await waitAtMost(timeoutMs, known);
  return found === undefined ? 'away' : found.value;
}
