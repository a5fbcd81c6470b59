import { invalidRequest, SigcastError } from '@sigcast/contracts';
import { normaliseEmail } from '../../domain/accounts.ts';
import { clientAddress } from '../client-address.ts';
import { type AccountHandlers, holderOf } from './caller.ts';
import { confirmPassword } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { answerLetter, invalidLink, requireMail } from './letters.ts';
import { lettersByAccount, linkByAddress } from './rules.ts';

type EmailHandlers = Pick<AccountHandlers, 'changeEmail' | 'requestEmailConfirmation' | 'confirmEmail'>;

/** Changing the account's e-mail address, and confirming it. */
export function emailHandlers(deps: AccountDeps): EmailHandlers {
  return {
    changeEmail: async (request) => {
      const { account } = request.caller;
      const given = await request.body();
      requireMail(deps);
      await confirmPassword(deps, request, given.current_password);
      const email = normaliseEmail(given.email);
      if (email === account.email) {
        throw invalidRequest([{ field: 'email', message: 'is the address of this account already' }]);
      }
      await deps.throttle.charge(lettersByAccount, account.id);
      await deps.accounts.setNewEmail(account.id, email);
      return answerLetter(deps, request.req, { kind: 'confirm', to: email, values: { account: account.id } });
    },

    requestEmailConfirmation: async ({ caller: { account }, req }) => {
      requireMail(deps);
      const isConfirmed = account.verification === 'verified';
      if (isConfirmed && account.newEmail === null)
        throw new SigcastError('CONFLICT', 'This e-mail address is confirmed already');
      await deps.throttle.charge(lettersByAccount, account.id);
      const to = account.newEmail ?? account.email;
      return answerLetter(deps, req, { kind: 'confirm', to, values: { account: account.id } });
    },

    confirmEmail: async ({ body, req }) => {
      const address = clientAddress(req, deps.trustProxy);
      await deps.throttle.charge(linkByAddress, address);
      const claims = deps.tokens.confirm.read((await body()).token);
      const account = claims && (await deps.accounts.find(claims.account));
      if (claims === undefined || account === undefined) throw invalidLink();
      const isFor = (email: string) => deps.tokens.confirm.isFor(email, claims.mark);
      const { id, email, newEmail, verification } = account;
      if (isFor(email)) {
        if (verification !== 'verified') {
          await deps.audit.add({ ...holderOf(deps, req, account), action: 'email.verified' });
          await deps.accounts.verify(id);
        }
        return { data: { email } };
      }
      if (newEmail === null || !isFor(newEmail)) throw invalidLink();
      const entry = await deps.audit.add({ ...holderOf(deps, req, account), action: 'email.changed' });
      const moved = await deps.accounts.takeNewEmail(id, newEmail);
      if (moved !== 'done') await deps.audit.withdraw(entry);
      if (moved === 'taken') throw new SigcastError('CONFLICT', 'This e-mail address has another account');
      if (moved === 'changed') throw invalidLink();
      await deps.propagate(id);
      const notice = { what: 'email-changed', address, name: newEmail } as const;
      if (verification === 'verified') await deps.tellHolder(id, { ...notice, to: email });
      await deps.tellHolder(id, notice);
      return { data: { email: newEmail } };
    },
  };
}
