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

/**
 * Refuses what another site makes a browser send: by `Sec-Fetch-Site`, or by `Origin` for a browser that does not send it. Programs
 * send neither.
 * @throws {SigcastError} FORBIDDEN
 */
export function requireSameSite({ publicUrl }: Pick<AccountDeps, 'publicUrl'>, req: Request): void {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  const isOurs =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin === undefined ||
        hostOf(origin) === host ||
        (publicUrl !== undefined && origin === new URL(publicUrl).origin);
  if (!isOurs) throw new SigcastError('FORBIDDEN', 'Sessions can only be used from the same site');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** The refresh token in the request's cookie. @throws {SigcastError} FORBIDDEN when another site sent the request. */
export function sessionCookie(deps: AccountDeps, req: Request): string | undefined {
  requireSameSite(deps, req);
  return readCookie(deps, req, 'sigcast_refresh');
}
