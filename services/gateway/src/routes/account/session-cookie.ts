import { SigcastError } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { RefreshToken } from '../../domain/sessions.ts';
import { isLocal } from '../transport-security.ts';
import type { AccountDeps } from './deps.ts';

const name = 'sigcast_refresh';
/** Browsers send the cookie to no other path: neither to the other account routes nor to the API. */
const path = '/account/session';

/** Sets a session's refresh token as a cookie that scripts can't read and other sites can't send. */
export function setSessionCookie(
  { trustProxy, clock }: AccountDeps,
  { req, res, token }: { req: Request; res: Response; token: RefreshToken },
): void {
  const maxAgeS = Math.round((token.expiresAt.getTime() - clock()) / 1000);
  res.setHeader('Set-Cookie', cookie(req, { value: token.text, maxAgeS, trustProxy }));
}

export function clearSessionCookie({ trustProxy }: AccountDeps, req: Request, res: Response): void {
  res.setHeader('Set-Cookie', cookie(req, { value: '', maxAgeS: 0, trustProxy }));
}

/** The refresh token in the request's cookie. @throws {SigcastError} FORBIDDEN when another site sent the request. */
export function sessionCookie(req: Request): string | undefined {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new SigcastError('FORBIDDEN', 'Sessions can only be used from the same site');
  }
  return new RegExp(`(?:^|;) *${name}=([^;]*)`).exec(req.headers.cookie ?? '')?.[1];
}

function cookie(
  req: Request,
  { value, maxAgeS, trustProxy }: { value: string; maxAgeS: number; trustProxy: boolean },
): string {
  const attributes = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  // Not on this machine: not all browsers keep a Secure cookie of a plain-http page there.
  if (!isLocal(req, trustProxy)) attributes.push('Secure');
  return attributes.join('; ');
}
