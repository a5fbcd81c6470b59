import type { Request } from 'express';
import type { RelyingParty } from '../../factors/passkeys.ts';
import type { AccountDeps } from './deps.ts';

/**
 * What passkeys belong to: the host of the public URL or, where that has no name, `localhost` if that is how the browser reaches the
 * gateway. Undefined for an IP address, which passkeys can't belong to (Web Authentication, 5.1.3).
 */
export function relyingParty(
  { publicUrl }: Pick<AccountDeps, 'publicUrl'>,
  req: Request,
): RelyingParty | undefined {
  const { hostname: id, origin } = new URL(publicUrl ?? 'http://0.0.0.0');
  if (!/^[\d.]+$|^\[/.test(id)) return { id, origins: [origin] };
  const { host = '' } = req.headers;
  const isLocal = /^localhost(:\d+)?$/i.test(host);
  return isLocal ? { id: 'localhost', origins: [`http://${host}`, `https://${host}`] } : undefined;
}
