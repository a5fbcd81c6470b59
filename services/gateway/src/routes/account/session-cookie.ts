import { SigcastError } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { RefreshToken } from '../../domain/sessions.ts';
import { isLocal } from '../transport-security.ts';
import type { AccountDeps } from './deps.ts';

const name = 'sigcast_refresh';
/** The cookie goes nowhere else: neither to the rest of the account's routes nor to the API. */
const path = '/account/session';

/** Puts a session's refresh token where scripts can't read it and other sites can't send it. */
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

/** The refresh token that the request carries. @throws {SigcastError} FORBIDDEN when another site sent it. */
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
  // Browsers keep a Secure cookie of a plain-http page only on one's own machine, and not all of them do.
  if (!isLocal(req, trustProxy)) attributes.push('Secure');
  return attributes.join('; ');
}
