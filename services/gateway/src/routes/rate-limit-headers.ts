import type { UsageReport } from '../domain/usage.ts';
import type { AnswerHeaders } from './api-headers.ts';

/**
 * Adds the headers about rate limits: `X-RateLimit-*` about the headline window (`Reset`: Unix seconds of its end, rounded
 * up), and `RateLimit` and `RateLimit-Policy` about all windows, by draft-ietf-httpapi-ratelimit-headers-10 (`q` quota, `w`
 * window in seconds, `r` remaining, `t` seconds until reset).
 */
export function addRateLimitHeaders(headers: AnswerHeaders, report: UsageReport, degraded: boolean): void {
  const { headline, windows, nowMs } = report;
  headers['X-RateLimit-Limit'] = String(headline.limit);
  headers['X-RateLimit-Remaining'] = String(headline.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil(headline.endsMs / 1000));
  let policy = '';
  let state = '';
  for (const { name, limit, windowS, remaining, endsMs } of windows) {
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${name}";q=${limit};w=${Math.ceil(windowS)}`;
    state += `${separator}"${name}";r=${remaining};t=${Math.max(0, Math.ceil((endsMs - nowMs) / 1000))}`;
  }
  headers['RateLimit-Policy'] = policy;
  headers.RateLimit = state;
  if (degraded) headers['X-RateLimit-Degraded'] = '1';
}
