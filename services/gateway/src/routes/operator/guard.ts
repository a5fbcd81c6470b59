import type { SigcastError } from '@sigcast/contracts';
import { noteCaller } from '@sigcast/http';
import type { Request, RequestHandler } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { bearerToken } from '../../domain/api-key.ts';
import { type AccessClaims, readAccessToken, signedOut } from '../../domain/holder.ts';
import { authenticatedRule } from '../account/rules.ts';
import type { OperatorDeps } from './deps.ts';

const operators = new WeakMap<object, Account>();

/**
 * Lets only sessions of active operator accounts pass. All other requests get the answer of an unknown path. Session and
 * account are read for each request, so that a removed mark, a suspension and the end of a session take effect at once.
 *
 * The handler throws {@link SigcastError}: RATE_LIMIT_EXCEEDED; UNAUTHORIZED where an operator's session has ended;
 * SERVICE_UNAVAILABLE when the store can't be asked.
 */
export function requireOperator(deps: OperatorDeps): RequestHandler {
  return async (req, res, next) => {
    const claims = sessionOf(deps, req);
    if (claims === undefined) return next('router');
    await deps.throttle.charge(authenticatedRule, claims.person);
    // The person, whichever account the session acts for.
    const account = await deps.accounts.find(claims.person);
    if (account?.operator !== true || account.status !== 'active') return next('router');
    if (!(await deps.sessions.isOpen(claims.sessionId, account.id))) throw signedOut();
    noteCaller(res, { account: account.id });
    operators.set(req, account);
    next();
  };
}

/** The operator that `requireOperator` has let pass. @throws when that guard did not run: a bug in the routes' wiring. */
export function operatorOf(req: Request): Account {
  const operator = operators.get(req);
  if (operator === undefined) throw new Error('this route has no operator guard');
  return operator;
}

function sessionOf({ verifyAccess }: OperatorDeps, req: Request): AccessClaims | undefined {
  try {
    return readAccessToken(verifyAccess, bearerToken(req.headers.authorization) ?? '');
  } catch {
    return undefined;
  }
}
