/** A receiver is not believed for longer than this. */
const maxRetryAfterMs = 3_600_000;

/**
 * What a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds, or a date in one of the forms of 5.6.7), in
 * milliseconds from now: 0 to an hour. Undefined when there is none or it can't be read.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, maxRetryAfterMs);
  // The form of `asctime` names no time zone, and would be taken for local time.
  const zoned = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(header)
    ? `${header} GMT`
    : header;
  const atMs = zoned.endsWith(' GMT') ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), maxRetryAfterMs);
}
