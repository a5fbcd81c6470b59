import type { Request } from 'express';

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** A year, in seconds. */
const maxAgeS = 31_536_000;

/** Whether a client on this very machine asks; behind a proxy the host may be just its name for us. */
export function isLocal(req: Request, trustProxy: boolean): boolean {
  return !trustProxy && localHost.test(req.headers.host ?? '');
}

/**
 * What tells browsers to come by TLS alone from now on (`Strict-Transport-Security`, RFC 6797); undefined where `publicUrl`
 * says that clients come by plain http, or they are on this very machine.
 */
export function transportSecurity(
  trustProxy: boolean,
  publicUrl: string | undefined,
): (req: Request) => string | undefined {
  const isPlain = publicUrl?.startsWith('http:') ?? false;
  const value = `max-age=${maxAgeS}`;
  return (req) => (isPlain || isLocal(req, trustProxy) ? undefined : value);
}
