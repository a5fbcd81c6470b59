import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { identityHeader } from '@sigcast/contracts';

/** Headers that are meant for one connection only (RFC 9110, 7.6.1), whether `Connection` lists them or not. */
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
 * Request headers that are not forwarded: credentials, headers that the gateway sets itself, and headers about the client's
 * connection. `content-length` is set anew when there is a body.
 */
const droppedFromRequests = new Set([
  ...hopByHop,
  'authorization',
  'cookie',
  'host',
  'content-length',
  'expect',
  'forwarded',
  'x-request-id',
  // A client must not decide which of our spans are recorded.
  'traceparent',
  'tracestate',
  'baggage',
]);

/** Headers of a service's answer that are not forwarded. */
const droppedFromAnswers = new Set([
  ...hopByHop,
  'x-request-id',
  'set-cookie',
  'server',
  'x-powered-by',
  'location',
]);

/** Whether only the gateway may set a header: a client can't forge it, a service can't override it. */
function isOurs(name: string): boolean {
  return name.startsWith('x-sigcast-') || name.startsWith('x-ratelimit-') || name.startsWith('ratelimit');
}

/** The header names that `Connection` lists: these headers are meant for this connection only. */
function connectionListed(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined) return [];
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

/** The headers of the request to a service, as name, value, name, value …: the client's that are forwarded, and our own. */
export function upstreamHeaders(
  request: { rawHeaders: readonly string[]; headers: IncomingHttpHeaders },
  own: {
    requestId: string;
    identity: string;
    bodyLength: string | undefined;
    /** The trace context to send; undefined when the request is not traced. */
    traceparent?: string | undefined;
  },
): string[] {
  const listed = connectionListed(request.headers.connection);
  const result = ['x-request-id', own.requestId, identityHeader, own.identity];
  if (own.bodyLength !== undefined) result.push('content-length', own.bodyLength);
  if (own.traceparent !== undefined) result.push('traceparent', own.traceparent);
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    const isDropped = droppedFromRequests.has(name) || name.startsWith('x-forwarded-');
    if (isDropped || isOurs(name) || listed.includes(name)) continue;
    result.push(name, request.rawHeaders[at + 1] ?? '');
  }
  return result;
}

/** Adds those of a service's headers that a client may see to the gateway's `own` headers. */
export function addClientHeaders(
  own: OutgoingHttpHeaders,
  headers: IncomingHttpHeaders,
): OutgoingHttpHeaders {
  const listed = connectionListed(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    const isDropped = droppedFromAnswers.has(name) || isOurs(name) || listed.includes(name);
    if (value !== undefined && !isDropped) own[name] = value;
  }
  return own;
}
