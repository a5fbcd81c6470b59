import { SigcastError } from '@sigcast/contracts';
import type { Request, RequestHandler, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { bearerToken } from '../../domain/api-key.ts';
import type { AccountDeps } from './deps.ts';
import { authenticatedRule } from './rules.ts';

/** Who asks, as the access token says and the stores confirm. */
export type Caller = { readonly account: Account; readonly sessionId: string };

/**
 * A route for a signed-in account holder. The session and the account are looked up each time, so signing out,
 * changing the password and suspension bind at once, not when the access token expires.
 */
export function asCaller(
  deps: AccountDeps,
  handle: (req: Request, res: Response, caller: Caller) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    await handle(req, res, await findCaller(deps, req));
  };
}

async function findCaller(
  { verifyAccess, throttle, sessions, accounts }: AccountDeps,
  req: Request,
): Promise<Caller> {
  const { subject, sessionId } = readToken(verifyAccess, req);
  await throttle.charge(authenticatedRule, subject);
  const [open, account] = await Promise.all([sessions.isOpen(sessionId, subject), accounts.find(subject)]);
  if (!open || account === undefined) throw signedOut();
  if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
  return { account, sessionId };
}

function readToken(verify: AccountDeps['verifyAccess'], req: Request) {
  try {
    const { subject, sessionId } = verify(bearerToken(req.headers.authorization) ?? '');
    if (sessionId === undefined) throw signedOut();
    return { subject, sessionId };
  } catch (cause) {
    throw signedOut(cause);
  }
}

const signedOut = (cause?: unknown) =>
  new SigcastError('UNAUTHORIZED', 'Not signed in, or the session has ended', { cause });
