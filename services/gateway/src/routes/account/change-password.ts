import { invalidRequest, SigcastError } from '@sigcast/contracts';
import { clientAddress } from '../client-address.ts';
import { answerSession } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { signedInByAccount, wrongByDevice } from './rules.ts';

/** `POST /account/password`: ends every session of the account, revokes keys and webhooks if asked to, and begins a new session. */
export function changePassword(deps: AccountDeps): AccountHandlers['changePassword'] {
  return async ({ body, caller: { account, sessionId, by }, req, res }) => {
    const given = await body();
    // By session, so that nobody can guess the password with a stolen one, or keep the owner from changing it.
    const charges = new Charges(deps.throttle);
    await charges.add(wrongByDevice, sessionId);
    await charges.add(signedInByAccount, account.id);
    const caller = { kind: 'known', name: account.id, isGone: () => res.destroyed } as const;
    const found = await charges.unlessFailed(deps.accounts.findWithPassword(account.email));
    const matches = await deps.passwords.matches(
      given.current_password,
      async () => found?.passwordHash,
      caller,
    );
    if (!matches || found === undefined) {
      throw invalidRequest([{ field: 'current_password', message: 'is not the current password' }]);
    }
    const passwordHash = await deps.passwords.hash(given.new_password, caller);
    const { revoke_access: revokeAccess } = given;
    await charges.unlessFailed(deps.audit.add({ ...by, action: 'password.changed' }));
    if (revokeAccess) await charges.unlessFailed(deps.audit.add({ ...by, action: 'access.revoked' }));
    const change = { from: found.passwordHash, to: passwordHash, revokeAccess };
    const replaced = await charges.unlessFailed(deps.accounts.replacePassword(account.id, change));
    if (!replaced) throw new SigcastError('CONFLICT', 'The password was changed in the meantime');
    // Sessions of the old password have ended already; this only removes their documents.
    await deps.sessions.endAll(account.id);
    // Only now, when no session of somebody else can create a key any more.
    const keys = revokeAccess ? await deps.keys.revokeAll(account.id) : [];
    if (keys.length > 0) await deps.propagate(account.id);
    const address = clientAddress(req, deps.trustProxy);
    await deps.tellHolder(account.id, { what: 'password-changed', address });
    const token = await deps.sessions.open(account.id, passwordHash);
    return answerSession(deps, { req, res, account, token, passwordHash });
  };
}
