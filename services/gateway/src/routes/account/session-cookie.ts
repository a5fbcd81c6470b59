import { SigcastError } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { RefreshToken } from '../../domain/sessions.ts';

const name = 'sigcast_refresh';
/** The cookie goes nowhere else: neither to the rest of the account's routes nor to the API. */
const path = '/account/session';

/** Puts a session's refresh token where scripts can't read it and other sites can't send it. */
export function setSessionCookie(req: Request, res: Response, token: RefreshToken, nowMs: number): void {
  const maxAgeS = Math.round((token.expiresAt.getTime() - nowMs) / 1000);
  res.append('Set-Cookie', cookie(req, token.text, maxAgeS));
}

export function clearSessionCookie(req: Request, res: Response): void {
  res.append('Set-Cookie', cookie(req, '', 0));
}

/** The refresh token that the request carries. @throws {SigcastError} FORBIDDEN when another site sent it. */
export function sessionCookie(req: Request): string | undefined {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new SigcastError('FORBIDDEN', 'Sessions can only be used from the same site');
  }
  return new RegExp(`(?:^|;) *${name}=([^;]*)`).exec(req.headers.cookie ?? '')?.[1];
}

function cookie(req: Request, value: string, maxAgeS: number): string {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(req.headers.host ?? '');
  const attributes = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  // Browsers keep a Secure cookie of a plain-http page only on one's own machine, and not all of them do.
  if (!local) attributes.push('Secure');
  return attributes.join('; ');
}
