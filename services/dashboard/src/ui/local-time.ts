/** An instant as the value of a `datetime-local` field: 2026-11-21T08:05, with seconds unless they are zero. */
export function localTime(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs)
    .toISOString()
    .slice(0, -1)
    .replace(/(:00)?\.000$/, '');
}

/** The value of a `datetime-local` field without seconds. */
export function localMinute(atMs: number): string {
  return localTime(atMs).slice(0, 16);
}
