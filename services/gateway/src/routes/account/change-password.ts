import { SigcastError } from '@sigcast/contracts';
import { revokeAccess } from '../../domain/revoke-access.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession, openSession } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import { confirmHolder } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { replacePassword, requireUncommon } from './new-password.ts';

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
    const found = await confirmHolder(deps, request, given);
    const { charges } = found;
    const { revoke_access: isRevoking } = given;
    const replace = async () => {
      const to = await deps.passwords.hash(given.new_password, found.waiting);
      const change = { from: found.passwordHash, to, revokeAccess: isRevoking };
      const refusal = () => new SigcastError('CONFLICT', 'The password was changed in the meantime');
      const write = replacePassword(deps, { by, action: 'password.changed', change, refusal });
      await charges.unlessFailed(write);
      return to;
    };
    const passwordHash = await found.allow(replace());
    const revoked = isRevoking ? await revokeAccess(deps, account.id) : [];
    // Sessions of the old password have ended already; this only removes their documents.
    if (!isRevoking) await deps.sessions.endAll(account.id);
    if (revoked.length > 0) await deps.propagate(account.id);
    const address = clientAddress(req, deps.trustProxy);
    await deps.tellHolder(account.id, { what: 'password-changed', address });
    // The write has forgotten an address that was not confirmed.
    const changed = { ...account, newEmail: null };
    const token = await openSession(deps, req, { account: changed, passwordHash });
    return answerSession(deps, { req, res, account: changed, token, passwordHash });
  };
}
