/** An instant as a field of local date and time has it: 2026-11-21T08:05, with seconds where there are any. */
export function localTime(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs)
    .toISOString()
    .slice(0, -1)
    .replace(/(:00)?\.000$/, '');
}

/** The same to the minute. */
export function localMinute(atMs: number): string {
  return localTime(atMs).slice(0, 16);
}
