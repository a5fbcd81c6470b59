/** The seconds since an instant of `performance.now()`, with one decimal, for people. */
export function secondsSince(startedAtMs: number): string {
  return ((performance.now() - startedAtMs) / 1_000).toFixed(1);
}
