/** The longest time that is returned, in milliseconds. */
const maxRetryAfterMs = 3_600_000;

/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3: seconds, or a date in one of the forms of 5.6.7) to milliseconds from now,
 * from 0 to an hour. Undefined when there is no header, or when it cannot be parsed.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, maxRetryAfterMs);
  // The `asctime` form has no time zone, and would be parsed as local time.
  const zoned = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(header)
    ? `${header} GMT`
    : header;
  const atMs = zoned.endsWith(' GMT') ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), maxRetryAfterMs);
}
