import { invalidRequest, SigcastError } from '@sigcast/contracts';
import { normaliseEmail } from '../../domain/accounts.ts';
import { recorded } from '../../domain/audit.ts';
import { clientAddress } from '../client-address.ts';
import type { AccountHandlers } from './caller.ts';
import { Charges } from './charges.ts';
import { confirmHolder } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { addLetter, answerConfirmation, invalidLink, limitOfNetwork, requireMail } from './letters.ts';
import { lettersByAccount } from './rules.ts';

type EmailHandlers = Pick<AccountHandlers, 'changeEmail' | 'requestEmailConfirmation' | 'confirmEmail'>;

/** Changing the account's e-mail address, and confirming it. */
export function emailHandlers(deps: AccountDeps): EmailHandlers {
  return {
    changeEmail: async (request) => {
      const { account } = request.caller;
      const given = await request.body();
      requireMail(deps);
      const to = normaliseEmail(given.email);
      if (to === account.email) {
        throw invalidRequest([{ field: 'email', message: 'is the address of this account already' }]);
      }
      const letters = new Charges(deps.throttle);
      // Whatever may refuse comes before the code is used up.
      const confirm = async () => {
        await letters.add(lettersByAccount, account.id);
        await letters.add(...limitOfNetwork(deps, request.req, 'confirm'));
        return confirmHolder(deps, request, given);
      };
      const { allow } = await confirm().catch(async (error) => {
        await letters.refund();
        throw error;
      });
      const change = async () => {
        await deps.accounts.setNewEmail(account.id, to);
        return addLetter(deps, { kind: 'confirm', to, values: { account: account.id } });
      };
      return allow(change());
    },

    requestEmailConfirmation: async ({ caller: { account }, req }) => {
      requireMail(deps);
      const isConfirmed = account.verification === 'verified';
      if (isConfirmed && account.newEmail === null)
        throw new SigcastError('CONFLICT', 'This e-mail address is confirmed already');
      return answerConfirmation(deps, req, account);
    },

    // Needs the session, too: whoever reads the mail must not give a stranger's account, with its password, a confirmed address.
    confirmEmail: async ({ body, caller: { account, by }, req }) => {
      const claims = deps.tokens.confirm.read((await body()).token);
      if (claims === undefined) throw invalidLink();
      const { id, email, newEmail, verification } = account;
      if (claims.account !== id) {
        throw new SigcastError('FORBIDDEN', 'This link is for another account: sign in to that one first');
      }
      const isFor = (address: string) => deps.tokens.confirm.isFor(address, claims.mark);
      if (isFor(email)) {
        if (verification !== 'verified') {
          await deps.audit.add({ ...by, action: 'email.verified' });
          await deps.accounts.verify(id);
        }
        return { data: { email } };
      }
      if (newEmail === null || !isFor(newEmail)) throw invalidLink();
      await recorded(deps.audit, { ...by, action: 'email.changed' }, async () => {
        const moved = await deps.accounts.takeNewEmail(id, newEmail);
        if (moved === 'taken') throw new SigcastError('CONFLICT', 'This e-mail address has another account');
        if (moved === 'changed') throw invalidLink();
      });
      await deps.propagate(id);
      const address = clientAddress(req, deps.trustProxy);
      const notice = { what: 'email-changed', address, name: newEmail } as const;
      if (verification === 'verified') await deps.tellHolder(id, { ...notice, to: email });
      await deps.tellHolder(id, notice);
      return { data: { email: newEmail } };
    },
  };
}
