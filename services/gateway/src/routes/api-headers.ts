import type { Request, Response } from 'express';

/** Response headers that scripts of other origins may read, beside those that they always may (Fetch Standard, 3.2.3). */
const exposed = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Cost',
  'X-RateLimit-Degraded',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Link',
  'Allow',
].join(', ');

/** Request headers that scripts of other origins may send, beside those that they always may. */
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

/** An answer's headers by name. Names in lower case are those that a service may override. */
export type AnswerHeaders = Record<string, string | string[]>;

/**
 * The headers of every answer under /v1. Any origin may ask: the API key authenticates, and no browser sends a key by
 * itself. An answer belongs to one account: only the client's own cache may keep it, and revalidates it each time.
 *
 * One object for `writeHead`, together with the service's headers: `setHeader` for each takes Node twice the time.
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
 * Answers a CORS preflight (Fetch Standard, 3.2.2). The answer is the same for every path. A preflight has no API key, and
 * no limit counts it.
 * @returns false for a request that is no preflight.
 */
export function answerPreflight(req: Request, res: Response, headers: AnswerHeaders): boolean {
  const { origin, 'access-control-request-method': method } = req.headers;
  if (req.method !== 'OPTIONS' || origin === undefined || method === undefined) return false;
  res.writeHead(204, {
    ...headers,
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers': allowedHeaders,
    'Access-Control-Max-Age': String(preflightMaxAgeS),
  });
  res.end();
  return true;
}
