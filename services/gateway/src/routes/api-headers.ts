import type { Request, Response } from 'express';

/** What scripts of other origins may read of an answer, beside what they always may (Fetch Standard, 3.2.3). */
const exposed = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Degraded',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Link',
  'Allow',
].join(', ');

/** What scripts of other origins may send, beside what they always may. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
].join(', ');

/** How long a browser may keep the answer to a preflight, in seconds: as long as any browser does. */
const preflightMaxAgeS = 86_400;

/**
 * What every answer under /v1 has. Any origin may ask: who asks is said by a key, which no browser sends by itself. Answers
 * are one account's: no cache but the client's own keeps them, and that one asks again by `ETag` each time.
 */
export function setApiHeaders(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', exposed);
  res.setHeader('Vary', 'Accept-Encoding, Authorization');
  res.setHeader('Cache-Control', 'private, no-cache');
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

/**
 * Answers a browser that asks whether it may ask (CORS preflight, Fetch Standard, 3.2.2): the same for every path, without
 * a key, for such a request carries none, and no limit counts it. @returns false for a request that is no preflight.
 */
export function answerPreflight(req: Request, res: Response): boolean {
  const { origin, 'access-control-request-method': method } = req.headers;
  if (req.method !== 'OPTIONS' || origin === undefined || method === undefined) return false;
  setApiHeaders(res);
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PATCH, DELETE');
  res.setHeader('Access-Control-Allow-Headers', allowedHeaders);
  res.setHeader('Access-Control-Max-Age', String(preflightMaxAgeS));
  res.status(204).end();
  return true;
}
