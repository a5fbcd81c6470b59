import { newId } from '@sigcast/runtime';
import { recorded } from '../../domain/audit.ts';
import type { AccountHandlers } from './caller.ts';
import { confirmPassword } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { requireSecondFactor } from './second-factor.ts';
import { clearSessionCookie } from './session-cookie.ts';

/**
 * `DELETE /account`: from the next request on, keys and sessions are refused and the address is free. What is stored is removed when
 * other services know.
 */
export function deleteAccount(deps: AccountDeps): AccountHandlers['deleteAccount'] {
  return async (request) => {
    const { account, sessionId, by } = request.caller;
    const { current_password: password, code } = await request.body();
    await confirmPassword(deps, request, password);
    const asked = { account: account.id, code, sessionId };
    const right = await requireSecondFactor(deps, request.req, asked);
    const remove = () => deps.accounts.remove(account.id);
    await right.allow(recorded(deps.audit, { ...by, action: 'account.deleted' }, remove));
    await deps.propagate(account.id);
    clearSessionCookie(deps, request.req, request.res);
    // The account is deleted, whether or not its holder gets a last mail.
    const letter = { id: newId('mail'), kind: 'farewell', to: account.email, values: {} } as const;
    if (account.verification === 'verified') await deps.mail.add?.(letter).catch(() => false);
    return undefined;
  };
}
