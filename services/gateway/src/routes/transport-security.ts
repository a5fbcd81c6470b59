import type { Request } from 'express';

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** A year, in seconds. */
const maxAgeS = 31_536_000;

/** Whether a client on this machine asks. Never true behind a proxy, whose `Host` header may be localhost for every client. */
function isLocal(req: Request, trustProxy: boolean): boolean {
  return !trustProxy && localHost.test(req.headers.host ?? '');
}

/** Whether a request comes over plain http: from this machine, or by a public URL that says so. */
export function isPlainHttp(req: Request, trustProxy: boolean, publicUrl: string | undefined): boolean {
  return publicUrl?.startsWith('http:') === true || isLocal(req, trustProxy);
}

/**
 * Returns the value of `Strict-Transport-Security` (RFC 6797) for a request; undefined when `publicUrl` is plain http, or
 * the client is on this machine.
 */
export function transportSecurity(
  trustProxy: boolean,
  publicUrl: string | undefined,
): (req: Request) => string | undefined {
  const value = `max-age=${maxAgeS}`;
  return (req) => (isPlainHttp(req, trustProxy, publicUrl) ? undefined : value);
}
