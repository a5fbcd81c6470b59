import { SigcastError } from '@sigcast/contracts';
import { noQuery } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { clientAddress } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountDeps } from './deps.ts';
import { renewByAddress } from './rules.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './session-cookie.ts';

/** `POST /account/session/refresh` */
export function renewSession(deps: AccountDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const text = sessionCookie(deps, req);
    await deps.throttle.charge(renewByAddress, clientAddress(req, deps.trustProxy));
    const renewed = text === undefined ? undefined : await deps.sessions.renew(text);
    // Already here: the old token is replaced, so an error below must carry the new one, too.
    if (renewed !== undefined) setSessionCookie(deps, { req, res, token: renewed.token });
    const account = renewed === undefined ? undefined : await deps.accounts.find(renewed.account);
    if (renewed === undefined || account === undefined) {
      clearSessionCookie(deps, req, res);
      throw new SigcastError('UNAUTHORIZED', 'There is no session to renew');
    }
    if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    await answerSession(deps, { req, res, account, token: renewed.token, status: 200 });
  };
}
