import { SigcastError } from '@sigcast/contracts';
import { normaliseEmail } from '../../domain/accounts.ts';
import { sha256Of } from '../../domain/api-key.ts';
import { networksOf } from '../../domain/client-address.ts';
import { revokeAccess } from '../../domain/revoke-access.ts';
import { clientAddress } from '../client-address.ts';
import { answerSession, openSession } from './answer-session.ts';
import { type AccountHandlers, holderOf } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { answerLetter, invalidLink, requireMail } from './letters.ts';
import { replacePassword, requireUncommon } from './new-password.ts';
import { linkByAddress, resetByAddress, resetByNetwork, resetByNetworkAndEmail } from './rules.ts';
import { noCode, requireSecondFactor } from './second-factor.ts';

/**
 * `POST /account/password/reset-request`. Nothing is looked up, so every address gets the same answer for the same work. No limit
 * counts by the address alone: strangers could use it up.
 */
export function requestPasswordReset(deps: AccountDeps): AccountHandlers['requestPasswordReset'] {
  return async ({ body, req }) => {
    const address = clientAddress(req, deps.trustProxy);
    const { network } = networksOf(address);
    await deps.throttle.charge(resetByAddress, address);
    await deps.throttle.charge(resetByNetwork, network);
    const { email } = await body();
    requireMail(deps);
    const to = normaliseEmail(email);
    await deps.throttle.charge(resetByNetworkAndEmail, `${network} ${sha256Of(to)}`);
    return answerLetter(deps, req, { kind: 'reset', to, values: {} });
  };
}

/**
 * `POST /account/password/reset`: ends every session, and begins one. Revokes keys, passkeys and webhooks if asked to; and with the
 * second factor and members always where the address was not confirmed before.
 */
export function resetPassword(deps: AccountDeps): AccountHandlers['resetPassword'] {
  return async ({ body, req, res }) => {
    const address = clientAddress(req, deps.trustProxy);
    await deps.throttle.charge(linkByAddress, address);
    const { token, password, code, revoke_access: isAsked } = await body();
    const claims = deps.tokens.reset.read(token);
    if (claims === undefined) throw invalidLink();
    const found = await deps.accounts.findWithPassword(claims.account);
    if (found === undefined || !deps.tokens.reset.isFor(found, claims.mark)) throw invalidLink();
    if (found.account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
    requireUncommon(deps, 'password', password);
    const { id } = found.account;
    // Whoever reads the mail alone does not get in; but where nobody has shown that the address is theirs, a stranger may have made
    // the account, and what opens it is the stranger's.
    const isConfirmed = found.account.verification === 'verified';
    const isRevoking = isAsked || !isConfirmed;
    const { allow } = isConfirmed ? await requireSecondFactor(deps, req, { account: id, code }) : noCode;
    const replace = async () => {
      // Not as a stranger: whoever has such a link reads the mail of the account.
      const caller = { kind: 'known', name: id, isGone: () => res.destroyed } as const;
      const to = await deps.passwords.hash(password, caller);
      const by = holderOf(deps, req, found.account);
      const change = { from: found.passwordHash, to, revokeAccess: isRevoking };
      await replacePassword(deps, { by, action: 'password.reset', change, refusal: invalidLink });
      return to;
    };
    const passwordHash = await allow(replace());
    if (!isConfirmed) {
      await removeOthers(deps, id);
      // Last: where something fails before, the link of another mail does it again.
      await deps.accounts.verify(id);
    } else if (isRevoking) await revokeAccess(deps, id);
    // Sessions of the old password have ended already; this only removes their documents.
    if (!isRevoking) await deps.sessions.endAll(id);
    await deps.propagate(id);
    await deps.tellHolder(id, { what: 'password-reset', address });
    const account = { ...found.account, verification: 'verified', newEmail: null } as const;
    return answerSession(deps, {
      req,
      res,
      account,
      token: await openSession(deps, req, { account, passwordHash }),
      passwordHash,
    });
  };
}

/** Removes all that lets others into an account that a stranger may have made: factors, passkeys, sessions, keys, members. */
async function removeOthers(deps: AccountDeps, account: string): Promise<void> {
  await deps.secondFactors.end(account);
  await deps.members.removeAll(account);
  await revokeAccess(deps, account);
}
