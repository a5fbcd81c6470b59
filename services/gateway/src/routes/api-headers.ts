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

/** An answer's headers by name: in lower case where a service's own header takes the place of the gateway's. */
export type AnswerHeaders = Record<string, string | string[]>;

/**
 * What every answer under /v1 has. Any origin may ask: who asks is said by a key, which no browser sends by itself. Answers
 * are one account's: no cache but the client's own keeps them, and that one asks again by `ETag` each time.
 *
 * They leave with a service's headers in one object: those that are set one by one before take Node twice the time.
 */
export function apiHeaders(requestId: string, strictTransport: string | undefined): AnswerHeaders {
  const headers: AnswerHeaders = {
    'X-Request-Id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    vary: 'Accept-Encoding, Authorization',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  };
  if (strictTransport !== undefined) headers['strict-transport-security'] = strictTransport;
  return headers;
}

/**
 * Answers a browser that asks whether it may ask (CORS preflight, Fetch Standard, 3.2.2): the same for every path, without
 * a key, for such a request carries none, and no limit counts it. @returns false for a request that is no preflight.
 */
export function answerPreflight(req: Request, res: Response, own: AnswerHeaders): boolean {
  const { origin, 'access-control-request-method': method } = req.headers;
  if (req.method !== 'OPTIONS' || origin === undefined || method === undefined) return false;
  res.writeHead(204, {
    ...own,
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers': allowedHeaders,
    'Access-Control-Max-Age': String(preflightMaxAgeS),
  });
  res.end();
  return true;
}
