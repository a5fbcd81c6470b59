import type { OperationOf } from '@sigcast/contracts';
import { noteCaller, type OperationHandlers } from '@sigcast/http';
import type { Request, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { bearerToken } from '../../domain/api-key.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { findHolder, readAccessToken } from '../../domain/holder.ts';
import { originOf } from '../client-address.ts';
import type { AccountDeps } from './deps.ts';
import { authenticatedRule } from './rules.ts';

/** The account and session of a request, from its access token and confirmed by the store. */
export type Caller = {
  readonly account: Account;
  readonly sessionId: string;
  /** Who acts on which account, and from where: for entries of the audit log. */
  readonly by: Pick<AuditEntry, 'account' | 'actor' | 'origin'>;
  /** Looks at the session again. @throws {SigcastError} UNAUTHORIZED or FORBIDDEN when it has ended since. */
  readonly confirm: () => Promise<void>;
};

/** Handlers of what an account's holder does. */
export type AccountHandlers = OperationHandlers<OperationOf<'gateway'>, Caller>;

/** Who sends a request. @throws {SigcastError} UNAUTHORIZED, FORBIDDEN or RATE_LIMIT_EXCEEDED. */
export async function findCaller(deps: AccountDeps, req: Request, res: Response): Promise<Caller> {
  const claims = readAccessToken(deps.verifyAccess, bearerToken(req.headers.authorization) ?? '');
  await deps.throttle.charge(authenticatedRule, claims.subject);
  const account = await findHolder(deps, claims);
  noteCaller(res, { account: account.id });
  const confirm = async () => void (await findHolder(deps, claims));
  return { account, sessionId: claims.sessionId, by: holderOf(deps, req, account), confirm };
}

/** The holder of an account, who sends a request, for entries of the audit log. */
export function holderOf({ trustProxy }: AccountDeps, req: Request, { id }: Account): Caller['by'] {
  return { account: id, actor: { kind: 'holder', id }, origin: originOf(req, trustProxy) };
}
