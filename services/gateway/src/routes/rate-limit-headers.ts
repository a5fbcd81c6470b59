import type { UsageReport } from '../domain/usage.ts';
import type { AnswerHeaders } from './api-headers.ts';

/**
 * Tells a client about its windows: `X-RateLimit-*` about the one that matters most (`Reset`: Unix
 * seconds of its end, rounded up), and all of them in the form of
 * draft-ietf-httpapi-ratelimit-headers-10 (`q` quota, `w` window in seconds, `r` remaining, `t` seconds until reset).
 */
export function addRateLimitHeaders(own: AnswerHeaders, report: UsageReport, degraded: boolean): void {
  const { headline, windows, nowMs } = report;
  own['X-RateLimit-Limit'] = String(headline.limit);
  own['X-RateLimit-Remaining'] = String(headline.remaining);
  own['X-RateLimit-Reset'] = String(Math.ceil(headline.endsMs / 1000));
  let policy = '';
  let state = '';
  for (const { name, limit, windowS, remaining, endsMs } of windows) {
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${name}";q=${limit};w=${Math.ceil(windowS)}`;
    state += `${separator}"${name}";r=${remaining};t=${Math.max(0, Math.ceil((endsMs - nowMs) / 1000))}`;
  }
  own['RateLimit-Policy'] = policy;
  own.RateLimit = state;
  if (degraded) own['X-RateLimit-Degraded'] = '1';
}
