import { type FactorsView, invalidRequest, SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import { recorded } from '../../domain/audit.ts';
import type { SecurityNotice } from '../../domain/mail/security-mail.ts';
import { newRecoveryCodes } from '../../domain/recovery-codes.ts';
import { uriOf } from '../../factors/totp.ts';
import { clientAddress } from '../client-address.ts';
import type { AccountHandlers, Caller } from './caller.ts';
import { Charges } from './charges.ts';
import { confirmPassword } from './confirm-password.ts';
import { setCookie } from './cookies.ts';
import type { AccountDeps } from './deps.ts';
import { deviceCookie } from './device-cookie.ts';
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
      const passkey_host = relyingParty(deps, req)?.id ?? null;
      return { data: { ...(await factorsOf(deps, account.id)), passkey_host } };
    },

    beginTotp: async ({ body, caller, res }) => {
      await confirmPassword(deps, { caller, res }, (await body()).current_password);
      const secret = await deps.secondFactors.begin(caller.account.id);
      if (secret === undefined) throw new SigcastError('CONFLICT', 'The second factor is on already');
      return { data: { secret, uri: uriOf(secret, caller.account.email) } };
    },

    confirmTotp: async ({ body, caller: { account, sessionId, by, confirm }, req, res }) => {
      const { code } = await body();
      await confirm(); // a body may have taken seconds
      const found = await deps.accounts.findWithPassword(account.id);
      const charges = new Charges(deps.throttle);
      await charges.add(wrongCodeByDevice, sessionId);
      const codes = newRecoveryCodes();
      const switchOn = async () => {
        const confirmed = await deps.secondFactors.confirm(account.id, code, codes);
        if (confirmed === 'wrong') throw wrongCode();
        if (confirmed !== 'nothing') return confirmed;
        await charges.refund();
        throw new SigcastError('CONFLICT', 'Begin again: no second factor was begun within an hour');
      };
      const entry = { ...by, action: 'totp.on' } as const;
      const factor = await charges.unlessFailed(recorded(deps.audit, entry, switchOn));
      await charges.refund();
      if (found !== undefined) {
        // This browser has just given a code: wrong ones of strangers don't keep it out.
        const device = deviceCookie(deps, { account: account.id, passwordHash: found.passwordHash, factor });
        res.setHeader('Set-Cookie', setCookie(deps, req, device));
      }
      await tell(req, account.id, 'second-factor-on');
      return { data: { recovery_codes: codes } };
    },

    renewRecoveryCodes: async ({ body, caller, res }) => {
      const given = await body();
      await confirmPassword(deps, { caller, res }, given.current_password);
      const right = await requireCode(deps, caller, given.code);
      const codes = newRecoveryCodes();
      const replace = async () => {
        if (!(await deps.secondFactors.replaceRecoveryCodes(caller.account.id, codes))) throw isOff();
      };
      const entry = { ...caller.by, action: 'totp.codes_replaced' } as const;
      await right.allow(recorded(deps.audit, entry, replace));
      return { data: { recovery_codes: codes } };
    },

    endTotp: async ({ body, caller, req, res }) => {
      const given = await body();
      await confirmPassword(deps, { caller, res }, given.current_password);
      const right = await requireCode(deps, caller, given.code);
      const end = async () => {
        if (!(await deps.secondFactors.end(caller.account.id))) throw isOff();
      };
      await right.allow(recorded(deps.audit, { ...caller.by, action: 'totp.off' }, end));
      await tell(req, caller.account.id, 'second-factor-off');
      return undefined;
    },
  };
}

/** The second factor and the passkeys of an account, without their secrets. */
export async function factorsOf(
  deps: Pick<AccountDeps, 'secondFactors' | 'passkeys'>,
  account: string,
): Promise<Pick<FactorsView, 'totp' | 'passkeys'>> {
  const [factor, passkeys] = await Promise.all([
    deps.secondFactors.find(account),
    deps.passkeys.list(account),
  ]);
  const totp = factor && {
    since: factor.since.toISOString(),
    recovery_codes_left: factor.recoveryCodesLeft,
  };
  return { totp: totp ?? null, passkeys: passkeys.map(passkeyView) };
}

/** Counted by session: others can't keep its holder from changing the factor. */
async function requireCode(deps: AccountDeps, { by, sessionId }: Caller, code: string) {
  if ((await deps.secondFactors.find(by.account)) === undefined) throw isOff();
  const right = await useCode(deps, by, code, [[wrongCodeByDevice, sessionId]]);
  if (right === undefined) throw wrongCode();
  return right;
}

const isOff = () => new SigcastError('CONFLICT', 'The second factor is off');
const wrongCode = () => invalidRequest([{ field: 'code', message: 'is wrong, or was used already' }]);
