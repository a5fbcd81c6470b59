import type { Request } from 'express';

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** A year, in seconds. */
const maxAgeS = 31_536_000;

/** Whether a client on this machine asks. Never true behind a proxy, whose `Host` header may be localhost for every client. */
export function isLocal(req: Request, trustProxy: boolean): boolean {
  return !trustProxy && localHost.test(req.headers.host ?? '');
}

/**
 * Returns the value of `Strict-Transport-Security` (RFC 6797) for a request; undefined when `publicUrl` is plain http, or
 * the client is on this machine.
 */
export function transportSecurity(
  trustProxy: boolean,
  publicUrl: string | undefined,
): (req: Request) => string | undefined {
  const isPlain = publicUrl?.startsWith('http:') ?? false;
  const value = `max-age=${maxAgeS}`;
  return (req) => (isPlain || isLocal(req, trustProxy) ? undefined : value);
}
