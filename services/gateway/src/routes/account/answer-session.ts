import type { AccountView, Session } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { type Holder, ownHolder } from '../../domain/members.ts';
import type { RefreshToken } from '../../domain/sessions.ts';
import { originOf } from '../client-address.ts';
import { holderOf } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { deviceCookie } from './device-cookie.ts';
import { setSessionCookie } from './session-cookie.ts';
import { accountView, planView } from './views.ts';

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
    acting = ownHolder(account),
    token,
    passwordHash,
  }: {
    req: Request;
    res: Response;
    account: Account;
    /** For which account the session acts. Default: for its own. */
    acting?: Holder;
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
  return { data: await sessionOf(deps, acting, token.sessionId) };
}

/** A session as its holder sees it, with an access token for the account that it acts for. */
export async function sessionOf(deps: AccountDeps, holder: Holder, sessionId: string): Promise<Session> {
  const { account, person } = holder;
  return {
    access_token: deps.signAccess({
      subject: account.id,
      scopes: [],
      ttlS: accessTtlS,
      sessionId,
      ...(person.id !== account.id && { person: person.id }),
    }),
    token_type: 'Bearer',
    expires_in: accessTtlS,
    account: await viewOf(deps, holder),
  };
}

/** The account that somebody acts for, with its plan's limits and the other accounts that they may act for. */
export async function viewOf(deps: AccountDeps, holder: Holder): Promise<AccountView> {
  const { person } = holder;
  const [plan, memberships] = await Promise.all([
    planOf(deps, holder.account),
    deps.members.accountsOf(person.id),
  ]);
  const emails = await deps.emailsOf(memberships.map(({ account }) => account));
  const others = memberships.flatMap(({ account: id, role }) => {
    const email = emails.get(id);
    return email === undefined ? [] : [{ id, email, role }];
  });
  const accounts = [{ id: person.id, email: person.email, role: 'owner' } as const, ...others];
  return accountView(holder, { plan, accounts });
}

/** The limits of an account. */
export async function planOf(
  { accounts }: AccountDeps,
  { plan: name }: Account,
): Promise<AccountView['plan']> {
  const plan = await accounts.findPlan(name);
  if (plan === undefined) throw new Error(`there is no plan ${name}`);
  return planView(plan);
}
