import type { Operation, OperationOf } from '@sigcast/contracts';
import { noteCaller, type OperationHandlers } from '@sigcast/http';
import type { Request, Response } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { bearerToken } from '../../domain/api-key.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { findHolder, readAccessToken } from '../../domain/holder.ts';
import { type Holder, requireRole } from '../../domain/members.ts';
import { originOf } from '../client-address.ts';
import type { AccountDeps } from './deps.ts';
import { authenticatedRule } from './rules.ts';

/**
 * Who sends a request: their session, and the account that it acts for, as the store confirms. For an operation that is about the
 * person (without `role`), `account` is the person's own.
 */
export type Caller = Holder & {
  readonly sessionId: string;
  /** Who acts on which account, and from where: for entries of the audit log. */
  readonly by: Pick<AuditEntry, 'account' | 'actor' | 'origin'>;
  /** Looks at the session again. @throws {SigcastError} UNAUTHORIZED or FORBIDDEN when it has ended since, or the role. */
  readonly confirm: () => Promise<void>;
};

/** Handlers of what an account's holder does. */
export type AccountHandlers = OperationHandlers<OperationOf<'gateway'>, Caller>;

/** Who sends a request. @throws {SigcastError} UNAUTHORIZED, FORBIDDEN or RATE_LIMIT_EXCEEDED. */
export async function findCaller(
  deps: AccountDeps,
  { req, res }: { readonly req: Request; readonly res: Response },
  { role: needed }: Pick<Operation, 'role'>,
): Promise<Caller> {
  const claims = readAccessToken(deps.verifyAccess, bearerToken(req.headers.authorization) ?? '');
  await deps.throttle.charge(authenticatedRule, claims.person);
  // What is about the person does not depend on the account acted for, which may be suspended.
  const subject = needed === undefined ? claims.person : claims.subject;
  const find = async () => {
    const found = await findHolder(deps, { ...claims, subject });
    if (needed !== undefined) requireRole(found.role, needed);
    return found;
  };
  const holder = await find();
  noteCaller(res, { account: holder.account.id });
  const confirm = async () => void (await find());
  const by = { ...holderOf(deps, req, holder.person), account: holder.account.id };
  return { ...holder, sessionId: claims.sessionId, by, confirm };
}

/**
 * Looks at a caller again who has just made something, because a removal of all such things meanwhile has not found it.
 * @throws what `confirm` throws, after `undo`.
 */
export async function confirmMade(
  { confirm }: Pick<Caller, 'confirm'>,
  undo: () => Promise<unknown>,
): Promise<void> {
  try {
    await confirm();
  } catch (error) {
    await undo();
    throw error;
  }
}

/** The holder of an account, who sends a request about it, for entries of the audit log. */
export function holderOf(
  { trustProxy }: AccountDeps,
  req: Request,
  { id }: Pick<Account, 'id'>,
): Caller['by'] {
  return { account: id, actor: { kind: 'holder', id }, origin: originOf(req, trustProxy) };
}
