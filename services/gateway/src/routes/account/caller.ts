import { noteCaller } from '@sigcast/http';
import type { Request, RequestHandler, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { bearerToken } from '../../domain/api-key.ts';
import { findHolder, readAccessToken } from '../../domain/holder.ts';
import type { AccountDeps } from './deps.ts';
import { authenticatedRule } from './rules.ts';

/** The account and session of a request, from its access token and confirmed by the store. */
export type Caller = {
  readonly account: Account;
  readonly sessionId: string;
  /** Looks at the session again. @throws {SigcastError} UNAUTHORIZED or FORBIDDEN when it has ended since. */
  readonly confirm: () => Promise<void>;
};

/** A route for a signed-in account holder. */
export function asCaller(
  deps: AccountDeps,
  handle: (req: Request, res: Response, caller: Caller) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    const caller = await findCaller(deps, req);
    noteCaller(res, { account: caller.account.id });
    await handle(req, res, caller);
  };
}

async function findCaller(deps: AccountDeps, req: Request): Promise<Caller> {
  const claims = readAccessToken(deps.verifyAccess, bearerToken(req.headers.authorization) ?? '');
  await deps.throttle.charge(authenticatedRule, claims.subject);
  const confirm = async () => void (await findHolder(deps, claims));
  return { account: await findHolder(deps, claims), sessionId: claims.sessionId, confirm };
}
