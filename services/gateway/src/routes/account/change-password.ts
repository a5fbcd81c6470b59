import { SigcastError } from '@sigcast/contracts';
import { clientAddress, originOf } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import { confirmPassword } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { requireUncommon } from './new-password.ts';

/** `POST /account/password`: ends every session of the account, revokes keys and webhooks if asked to, and begins a new session. */
export function changePassword(deps: AccountDeps): AccountHandlers['changePassword'] {
  return async (request) => {
    const {
      caller: { account, by },
      req,
      res,
    } = request;
    const given = await request.body();
    requireUncommon(deps, 'new_password', given.new_password);
    const found = await confirmPassword(deps, request, given.current_password);
    const { charges } = found;
    const passwordHash = await deps.passwords.hash(given.new_password, found.waiting);
    const { revoke_access: revokeAccess } = given;
    await charges.unlessFailed(deps.audit.add({ ...by, action: 'password.changed' }));
    if (revokeAccess) await charges.unlessFailed(deps.audit.add({ ...by, action: 'access.revoked' }));
    const change = { from: found.passwordHash, to: passwordHash, revokeAccess };
    const replaced = await charges.unlessFailed(deps.accounts.replacePassword(account.id, change));
    if (!replaced) throw new SigcastError('CONFLICT', 'The password was changed in the meantime');
    // Sessions of the old password have ended already; this only removes their documents.
    await deps.sessions.endAll(account.id);
    // Only now, when no session of somebody else can create a key any more.
    if (revokeAccess) await deps.passkeys.removeAll(account.id);
    const keys = revokeAccess ? await deps.keys.revokeAll(account.id) : [];
    if (keys.length > 0) await deps.propagate(account.id);
    const address = clientAddress(req, deps.trustProxy);
    await deps.tellHolder(account.id, { what: 'password-changed', address });
    const token = await deps.sessions.open(account.id, passwordHash, originOf(req, deps.trustProxy));
    // The write has forgotten an address that was not confirmed.
    return answerSession(deps, { req, res, account: { ...account, newEmail: null }, token, passwordHash });
  };
}
