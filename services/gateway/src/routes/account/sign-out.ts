import { noQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { clientAddress } from '../client-address.ts';
import type { AccountDeps } from './deps.ts';
import { renewByAddress } from './rules.ts';
import { clearSessionCookie, sessionCookie } from './session-cookie.ts';

/** `DELETE /account/session`: 204 whether or not there was one. */
export function signOut(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const text = sessionCookie(deps, req);
    await deps.throttle.charge(renewByAddress, clientAddress(req, deps.trustProxy));
    if (text !== undefined) await deps.sessions.endByToken(text);
    clearSessionCookie(deps, req, res);
    res.status(204).end();
  };
}
