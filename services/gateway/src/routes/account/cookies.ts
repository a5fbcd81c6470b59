import type { Request } from 'express';
import { isPlainHttp } from '../transport-security.ts';
import type { AccountDeps } from './deps.ts';

/**
 * Browsers send a cookie to no other path. The token of a session only goes to what renews and ends the session; that of a known
 * device to whatever takes a password or a code.
 */
const paths = { sigcast_refresh: '/account/session', sigcast_device: '/account' } as const;

export type Cookie = {
  readonly name: keyof typeof paths;
  readonly value: string;
  readonly maxAgeS: number;
};

/** `Set-Cookie` of a cookie that scripts can't read and other sites can't send. */
export function setCookie(deps: AccountDeps, req: Request, { name, value, maxAgeS }: Cookie): string {
  const prefix = prefixFor(deps, req);
  const attributes = [
    `${prefix}${name}=${value}`,
    `Path=${paths[name]}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  if (prefix !== '') attributes.push('Secure');
  return attributes.join('; ');
}

export function readCookie(deps: AccountDeps, req: Request, name: Cookie['name']): string | undefined {
  const pattern = new RegExp(`(?:^|;) *${prefixFor(deps, req)}${name}=([^;]*)`);
  return pattern.exec(req.headers.cookie ?? '')?.[1];
}

/**
 * Browsers take a cookie whose name begins so only over https and with `Secure` (RFC 6265bis, 4.1.3), so a plain-http answer
 * can't replace it. `__Host-` would need the path `/`. Not all browsers keep such a cookie of a plain-http page.
 */
function prefixFor({ trustProxy, publicUrl }: AccountDeps, req: Request): '' | '__Secure-' {
  return isPlainHttp(req, trustProxy, publicUrl) ? '' : '__Secure-';
}
