import { newId } from '@sigcast/runtime';
import { recorded } from '../../domain/audit.ts';
import type { AccountHandlers } from './caller.ts';
import { confirmHolder } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { clearSessionCookie } from './session-cookie.ts';

/**
 * `DELETE /account`: from the next request on, keys and sessions are refused and the address is free. What is stored is removed when
 * other services know.
 */
export function deleteAccount(deps: AccountDeps): AccountHandlers['deleteAccount'] {
  return async (request) => {
    const { account, by } = request.caller;
    const { allow } = await confirmHolder(deps, request, await request.body());
    const remove = () => deps.accounts.remove(account.id);
    await allow(recorded(deps.audit, { ...by, action: 'account.deleted' }, remove));
    await deps.propagate(account.id);
    clearSessionCookie(deps, request.req, request.res);
    // The account is deleted, whether or not its holder gets a last mail.
    const letter = { id: newId('mail'), kind: 'farewell', to: account.email, values: {} } as const;
    if (account.verification === 'verified') await deps.mail.add?.(letter).catch(() => false);
    return undefined;
  };
}
