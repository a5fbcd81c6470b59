import {
  invalidRequest,
  type OperatorAccount,
  type OperatorAccountDetail,
  type OperatorAccounts,
  operatorAccountsQuerySchema,
  operatorChangeSchema,
  SigcastError,
} from '@sigcast/contracts';
import { noQuery, parseBody, parseQuery, sendData } from '@sigcast/http';
import type { Request, RequestHandler } from 'express';
import { type Account, isAccountId } from '../../domain/accounts.ts';
import { changeAccount } from '../../domain/operator-log.ts';
import type { AccountFigures } from '../../domain/operator-reads.ts';
import { keyView, planView } from '../account/views.ts';
import type { OperatorDeps } from './deps.ts';
import { operatorOf } from './guard.ts';

const perPage = 25;

/** `GET /account/operator/accounts`: newest first; with `q` those whose e-mail address begins with `q`, or whose id is `q`. */
export function listAccounts(deps: OperatorDeps): RequestHandler {
  return async (req, res) => {
    const { q = '', after } = parseQuery(operatorAccountsQuerySchema, req);
    const found = await search(deps, q, after);
    const page = found.slice(0, perPage);
    const last = found.length > perPage ? page.at(-1) : undefined;
    const figures = await deps.reads.figuresOf(page.map(({ id }) => id));
    const view: OperatorAccounts = {
      accounts: page.map((account) => accountView(account, figures.get(account.id))),
      next: last === undefined ? null : q === '' ? last.id : last.email,
    };
    sendData(res, view);
  };
}

/** Finds one account more than a page, which tells whether there is another page. */
async function search({ accounts, reads }: OperatorDeps, q: string, after: string | undefined) {
  if (q === '') return reads.newest({ after, limit: perPage + 1 });
  if (!isAccountId(q)) return reads.byEmail({ prefix: q, after, limit: perPage + 1 });
  const found = await accounts.find(q);
  return found === undefined ? [] : [found];
}

/** `GET /account/operator/accounts/{id}` */
export function getAccount(deps: OperatorDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, await detailOf(deps, await findAccount(deps, req)));
  };
}

/** `PATCH /account/operator/accounts/{id}`: suspends or resumes an account, or changes its plan. A change to the present value is not logged. */
export function patchAccount(deps: OperatorDeps): RequestHandler {
  return async (req, res) => {
    const change = await parseBody(operatorChangeSchema, req);
    const operator = operatorOf(req);
    const account = await findAccount(deps, req);
    if ('status' in change && change.status === 'suspended' && account.id === operator.id) {
      throw new SigcastError('CONFLICT', 'This is your own account: suspended, it could not resume itself');
    }
    if ('plan' in change && (await deps.accounts.findPlan(change.plan)) === undefined) {
      throw invalidRequest([{ field: 'plan', message: 'must be a plan that exists' }]);
    }
    const actor = { via: 'dashboard', account: operator.id } as const;
    const changed = await changeAccount(deps, { actor, account, change });
    if (changed === undefined) throw noSuchAccount();
    await deps.propagateAccount(changed.id);
    sendData(res, await detailOf(deps, changed));
  };
}

/** `GET /account/operator/plans` */
export function listPlans({ reads }: OperatorDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    sendData(res, (await reads.plans()).map(planView));
  };
}

/** Finds the account of the path by id only: an e-mail address may have moved to another account meanwhile. */
async function findAccount({ accounts }: OperatorDeps, req: Request): Promise<Account> {
  const id = String(req.params.id);
  const found = isAccountId(id) ? await accounts.find(id) : undefined;
  if (found === undefined) throw noSuchAccount();
  return found;
}

const noSuchAccount = () => new SigcastError('NOT_FOUND', 'There is no such account');

async function detailOf(
  { keys, reads, clock }: OperatorDeps,
  account: Account,
): Promise<OperatorAccountDetail> {
  const [found, figures] = await Promise.all([keys.list(account.id), reads.figuresOf([account.id])]);
  const nowMs = clock();
  return {
    ...accountView(account, figures.get(account.id)),
    keys: found.map((key) => keyView(key, nowMs)),
  };
}

function accountView(
  { id, email, plan, status, operator, verification, createdAt }: Account,
  { requests, refused, liveKeys } = { requests: 0, refused: 0, liveKeys: 0 } satisfies AccountFigures,
): OperatorAccount {
  return {
    id,
    email,
    plan,
    status,
    operator,
    email_verified: verification === 'verified',
    created_at: createdAt.toISOString(),
    live_keys: liveKeys,
    today: { requests, refused },
  };
}
