import { type Operation, type OperationOf, operationsOf } from '@sigcast/contracts';
import { noStore, serveOperations } from '@sigcast/http';
import type { IRouter, Request, Response } from 'express';
import { viewOf } from './answer-session.ts';
import { auditHandlers } from './audit.ts';
import { type AccountHandlers, type Caller, findCaller } from './caller.ts';
import { changePassword } from './change-password.ts';
import { deleteAccount } from './delete-account.ts';
import type { AccountDeps } from './deps.ts';
import { emailHandlers } from './email.ts';
import { exportAccount } from './export-account.ts';
import { factorHandlers } from './factors.ts';
import { getUsage } from './get-usage.ts';
import { keyHandlers } from './keys.ts';
import { listRequests } from './list-requests.ts';
import { mailHandlers } from './mail.ts';
import { memberHandlers } from './members.ts';
import { passkeyHandlers } from './passkeys.ts';
import { requestPasswordReset, resetPassword } from './reset-password.ts';
import { sessionHandlers } from './sessions.ts';
import { signUpHandlers } from './sign-up.ts';

/** Everything under /account: what an account's holder does, signed in with e-mail address and password. */
export function accountRoutes(router: IRouter, deps: AccountDeps): void {
  router.use('/account', noStore);
  const handlers: AccountHandlers = {
    ...signUpHandlers(deps),
    ...sessionHandlers(deps),
    getAccount: async ({ caller }) => ({ data: await viewOf(deps, caller) }),
    changePassword: changePassword(deps),
    requestPasswordReset: requestPasswordReset(deps),
    resetPassword: resetPassword(deps),
    ...emailHandlers(deps),
    exportAccount: exportAccount(deps),
    deleteAccount: deleteAccount(deps),
    ...keyHandlers(deps),
    getUsage: getUsage(deps),
    listRequests: listRequests(deps),
    ...mailHandlers(deps),
    ...auditHandlers(deps),
    ...factorHandlers(deps),
    ...memberHandlers(deps),
    ...passkeyHandlers(deps),
  };
  const caller = (req: Request, res: Response, operation: Operation) =>
    findCaller(deps, { req, res }, operation);
  serveOperations<OperationOf<'gateway'>, Caller>(router, operationsOf('gateway'), handlers, caller);
}
