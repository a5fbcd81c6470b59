import { SigcastError } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { RefreshToken } from '../../domain/sessions.ts';
import { type Cookie, readCookie, setCookie } from './cookies.ts';
import type { AccountDeps } from './deps.ts';

/** Sets a session's refresh token as a cookie, beside `others`. */
export function setSessionCookie(
  deps: AccountDeps,
  { req, res, token }: { req: Request; res: Response; token: RefreshToken },
  ...others: readonly Cookie[]
): void {
  const maxAgeS = Math.round((token.expiresAt.getTime() - deps.clock()) / 1000);
  const cookies: Cookie[] = [{ name: 'sigcast_refresh', value: token.text, maxAgeS }, ...others];
  res.setHeader(
    'Set-Cookie',
    cookies.map((cookie) => setCookie(deps, req, cookie)),
  );
}

export function clearSessionCookie(deps: AccountDeps, req: Request, res: Response): void {
  res.setHeader('Set-Cookie', setCookie(deps, req, { name: 'sigcast_refresh', value: '', maxAgeS: 0 }));
}

/** The refresh token in the request's cookie. @throws {SigcastError} FORBIDDEN when another site sent the request. */
export function sessionCookie(deps: AccountDeps, req: Request): string | undefined {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new SigcastError('FORBIDDEN', 'Sessions can only be used from the same site');
  }
  return readCookie(deps, req, 'sigcast_refresh');
}
