import { invalidRequest, SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import type { SecurityNotice } from '../../domain/mail/security-mail.ts';
import { newRecoveryCodes } from '../../domain/recovery-codes.ts';
import { uriOf } from '../../factors/totp.ts';
import { clientAddress } from '../client-address.ts';
import type { AccountHandlers, Caller } from './caller.ts';
import { Charges } from './charges.ts';
import { confirmPassword } from './confirm-password.ts';
import type { AccountDeps } from './deps.ts';
import { relyingParty } from './relying-party.ts';
import { wrongCodeByDevice } from './rules.ts';
import { useCode } from './second-factor.ts';
import { passkeyView } from './views.ts';

type FactorHandlers = Pick<
  AccountHandlers,
  'getFactors' | 'beginTotp' | 'confirmTotp' | 'renewRecoveryCodes' | 'endTotp'
>;

/** What an account's holder does with the second factor. */
export function factorHandlers(deps: AccountDeps): FactorHandlers {
  const tell = (req: Request, account: string, what: SecurityNotice['what']) =>
    deps.tellHolder(account, { what, address: clientAddress(req, deps.trustProxy) });
  return {
    getFactors: async ({ caller: { account }, req }) => {
      const [factor, passkeys] = await Promise.all([
        deps.secondFactors.find(account.id),
        deps.passkeys.list(account.id),
      ]);
      const totp = factor && {
        since: factor.since.toISOString(),
        recovery_codes_left: factor.recoveryCodesLeft,
      };
      return {
        data: {
          totp: totp ?? null,
          passkeys: passkeys.map(passkeyView),
          passkey_host: relyingParty(deps, req)?.id ?? null,
        },
      };
    },

    beginTotp: async ({ body, caller, res }) => {
      await confirmPassword(deps, { caller, res }, (await body()).current_password);
      const secret = await deps.secondFactors.begin(caller.account.id);
      if (secret === undefined) throw new SigcastError('CONFLICT', 'The second factor is on already');
      return { data: { secret, uri: uriOf(secret, caller.account.email) } };
    },

    confirmTotp: async ({ body, caller: { account, sessionId, by }, req }) => {
      const { code } = await body();
      const charges = new Charges(deps.throttle);
      await charges.add(wrongCodeByDevice, sessionId);
      const codes = newRecoveryCodes();
      const entry = await charges.unlessFailed(deps.audit.add({ ...by, action: 'totp.on' }));
      const factor = await charges.unlessFailed(deps.secondFactors.confirm(account.id, code, codes));
      if (typeof factor === 'string') await deps.audit.withdraw(entry);
      if (factor === 'wrong') throw wrongCode();
      await charges.refund();
      if (factor === 'nothing') {
        throw new SigcastError('CONFLICT', 'Begin again: no second factor was begun within an hour');
      }
      await tell(req, account.id, 'second-factor-on');
      return { data: { recovery_codes: codes } };
    },

    renewRecoveryCodes: async ({ body, caller, res }) => {
      const given = await body();
      await confirmPassword(deps, { caller, res }, given.current_password);
      await requireCode(deps, caller, given.code);
      const codes = newRecoveryCodes();
      await deps.audit.add({ ...caller.by, action: 'totp.codes_replaced' });
      if (!(await deps.secondFactors.replaceRecoveryCodes(caller.account.id, codes))) throw isOff();
      return { data: { recovery_codes: codes } };
    },

    endTotp: async ({ body, caller, req, res }) => {
      const given = await body();
      await confirmPassword(deps, { caller, res }, given.current_password);
      await requireCode(deps, caller, given.code);
      await deps.audit.add({ ...caller.by, action: 'totp.off' });
      if (!(await deps.secondFactors.end(caller.account.id))) throw isOff();
      await tell(req, caller.account.id, 'second-factor-off');
      return undefined;
    },
  };
}

/** Counted by session: others can't keep its holder from changing the factor. */
async function requireCode(deps: AccountDeps, { account, sessionId }: Caller, code: string): Promise<void> {
  if ((await deps.secondFactors.find(account.id)) === undefined) throw isOff();
  if (!(await useCode(deps, account.id, code, [[wrongCodeByDevice, sessionId]]))) throw wrongCode();
}

const isOff = () => new SigcastError('CONFLICT', 'The second factor is off');
const wrongCode = () => invalidRequest([{ field: 'code', message: 'is wrong, or was used already' }]);
