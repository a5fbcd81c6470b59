import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { identityHeader } from '@sigcast/contracts';

/** Meant for one connection only (RFC 9110, 7.6.1), whether `Connection` lists them or not. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/**
 * Stops at the gateway: credentials, what the gateway sets itself, and what it would be wrong to repeat.
 * `content-length` is set anew when there is a body to pass on.
 */
const requestOnly = new Set([
  ...hopByHop,
  'authorization',
  'cookie',
  'host',
  'content-length',
  'expect',
  'forwarded',
  'x-request-id',
  // A client's trace is not ours: it must not say what of ours is recorded.
  'traceparent',
  'tracestate',
  'baggage',
]);

/** Never overrides the gateway's own. */
const responseOnly = new Set([
  ...hopByHop,
  'x-request-id',
  'set-cookie',
  'server',
  'x-powered-by',
  'location',
]);

/** The gateway's own families: a client can't forge them, a service can't override them. */
function isOurs(name: string): boolean {
  return name.startsWith('x-sigcast-') || name.startsWith('x-ratelimit-') || name.startsWith('ratelimit');
}

/** The headers that `Connection` declares to be for this connection alone. */
function connectionListed(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined) return [];
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

/** What a service gets to see of a client's headers, as name, value, name, value … */
export function upstreamHeaders(
  request: { rawHeaders: readonly string[]; headers: IncomingHttpHeaders },
  own: {
    requestId: string;
    identity: string;
    bodyLength: string | undefined;
    /** Where in which trace the gateway asks; undefined in none. */
    traceparent?: string | undefined;
  },
): string[] {
  const listed = connectionListed(request.headers.connection);
  const result = ['x-request-id', own.requestId, identityHeader, own.identity];
  if (own.bodyLength !== undefined) result.push('content-length', own.bodyLength);
  if (own.traceparent !== undefined) result.push('traceparent', own.traceparent);
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    if (requestOnly.has(name) || isOurs(name) || name.startsWith('x-forwarded-') || listed.includes(name))
      continue;
    result.push(name, request.rawHeaders[at + 1] ?? '');
  }
  return result;
}

/** Adds to the gateway's `own` headers what a client gets to see of a service's. */
export function addClientHeaders(
  own: OutgoingHttpHeaders,
  headers: IncomingHttpHeaders,
): OutgoingHttpHeaders {
  const listed = connectionListed(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || responseOnly.has(name) || isOurs(name) || listed.includes(name)) continue;
    own[name] = value;
  }
  return own;
}
