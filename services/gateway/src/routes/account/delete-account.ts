import { newId } from '@sigcast/runtime';
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
    const { account, by } = request.caller;
    const { current_password: password, code } = await request.body();
    await confirmPassword(deps, request, password);
    await requireSecondFactor(deps, request.req, { account: account.id, code });
    await deps.audit.add({ ...by, action: 'account.deleted' });
    await deps.accounts.remove(account.id);
    await deps.propagate(account.id);
    clearSessionCookie(deps, request.req, request.res);
    // The account is deleted, whether or not its holder gets a last mail.
    const letter = { id: newId('mail'), kind: 'farewell', to: account.email, values: {} } as const;
    if (account.verification === 'verified') await deps.mail.add?.(letter).catch(() => false);
    return undefined;
  };
}
