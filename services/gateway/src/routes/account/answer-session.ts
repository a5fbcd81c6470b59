import type { Session } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import type { RefreshToken } from '../../domain/sessions.ts';
import { originOf } from '../client-address.ts';
import { holderOf } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { deviceCookie } from './device-cookie.ts';
import { setSessionCookie } from './session-cookie.ts';
import { accountView } from './views.ts';

/** Lifetime of an access token. Short, because a single access token can't be revoked. */
const accessTtlS = 600;

/** Opens a session of somebody who signs in. Nobody gets its tokens before the audit log has it. */
export async function openSession(
  deps: AccountDeps,
  req: Request,
  { account, passwordHash }: { readonly account: Account; readonly passwordHash: string },
): Promise<RefreshToken> {
  const token = await deps.sessions.open(account.id, passwordHash, originOf(req, deps.trustProxy));
  const { sessionId: target } = token;
  await deps.audit.add({ ...holderOf(deps, req, account), action: 'session.started', target });
  return token;
}

/**
 * The answer with a new or renewed session: access token in the body, refresh token in the cookie, which is set. With the hash of the password
 * that was just used or set, the browser also becomes a known device.
 */
export async function answerSession(
  deps: AccountDeps,
  {
    req,
    res,
    account,
    token,
    passwordHash,
  }: {
    req: Request;
    res: Response;
    account: Account;
    token: RefreshToken;
    passwordHash?: string;
  },
): Promise<{ readonly data: Session }> {
  const device =
    passwordHash === undefined
      ? []
      : [
          deviceCookie(deps, {
            account: account.id,
            passwordHash,
            factor: await deps.secondFactors.find(account.id),
          }),
        ];
  setSessionCookie(deps, { req, res, token }, ...device);
  const session: Session = {
    access_token: deps.signAccess({
      subject: account.id,
      scopes: [],
      ttlS: accessTtlS,
      sessionId: token.sessionId,
    }),
    token_type: 'Bearer',
    expires_in: accessTtlS,
    account: await viewOf(deps, account),
  };
  return { data: session };
}

/** An account with its plan's limits. */
export async function viewOf({ accounts }: AccountDeps, account: Account) {
  const plan = await accounts.findPlan(account.plan);
  if (plan === undefined) throw new Error(`there is no plan ${account.plan}`);
  return accountView(account, plan);
}
