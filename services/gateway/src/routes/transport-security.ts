import type { Request, RequestHandler } from 'express';

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** A year, in seconds. */
const maxAgeS = 31_536_000;

/** Whether a client on this very machine asks; behind a proxy the host may be just its name for us. */
export function isLocal(req: Request, trustProxy: boolean): boolean {
  return !trustProxy && localHost.test(req.headers.host ?? '');
}

/**
 * Tells browsers to come by TLS alone from now on (`Strict-Transport-Security`, RFC 6797), unless `publicUrl` says that
 * clients come by plain http, or they are on this very machine.
 */
export function transportSecurity(trustProxy: boolean, publicUrl: string | undefined): RequestHandler {
  const isPlain = publicUrl?.startsWith('http:') ?? false;
  const value = `max-age=${maxAgeS}`;
  return (req, res, next) => {
    if (!isPlain && !isLocal(req, trustProxy)) res.setHeader('Strict-Transport-Security', value);
    next();
  };
}
