import { SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import { isRefusal } from '../../domain/audit.ts';
import type { ThrottleRule } from '../../domain/throttle.ts';
import { type Caller, holderOf } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { type Device, deviceOf } from './device-cookie.ts';
import { wrongCodeByAccount, wrongCodeByAccountAndDay, wrongCodeByDevice } from './rules.ts';

/** A code that was right, and is used up. */
type RightCode = {
  /**
   * Waits for what the code was asked for. A recovery code is given back where that fails by a fault of ours. After a refusal it stays
   * used: the holder was told of it, and those mails have a limit.
   */
  allow<T>(work: Promise<T>): Promise<T>;
};

/** Where none was needed, or none is to be given back. */
export const noCode: RightCode = { allow: (work) => work };

/**
 * Requires a code where the account has a second factor, of somebody who has given the right password. Wrong codes of a session, or
 * of a device that has signed in with this factor before, are counted apart: strangers with the password can't lock it out.
 * @throws {SigcastError} SECOND_FACTOR_REQUIRED without a code that is right, RATE_LIMIT_EXCEEDED after too many.
 */
export async function requireSecondFactor(
  deps: AccountDeps,
  req: Request,
  {
    account,
    code,
    sessionId,
  }: { readonly account: string; readonly code: string | undefined; readonly sessionId?: string },
): Promise<RightCode> {
  const factor = await deps.secondFactors.find(account);
  if (factor === undefined) return noCode;
  if (code === undefined) throw required('is required');
  const device = deviceOf(deps, req);
  const known = sessionId ?? (device?.isKnownWith(account, factor.id) ? device.id : undefined);
  const rules = known === undefined ? undefined : ([[wrongCodeByDevice, known]] as const);
  const right = await useCode(deps, holderOf(deps, req, { id: account }), code, rules);
  if (right === undefined) throw required('is wrong, or was used already');
  return right;
}

/**
 * Uses up a code; undefined for a wrong one. The holder is told of a recovery code.
 * @param rules by what wrong ones are counted. Default: by account.
 * @throws {SigcastError} RATE_LIMIT_EXCEEDED after too many wrong ones.
 */
export async function useCode(
  deps: Pick<AccountDeps, 'throttle' | 'secondFactors' | 'audit' | 'tellHolder'>,
  by: Caller['by'],
  code: string,
  rules: readonly (readonly [ThrottleRule, string])[] = [
    [wrongCodeByAccount, by.account],
    [wrongCodeByAccountAndDay, by.account],
  ],
): Promise<RightCode | undefined> {
  const charges = new Charges(deps.throttle);
  // Before the code is looked at, so that many at once are no way around.
  for (const [rule, subject] of rules) await charges.add(rule, subject);
  const used = await charges.unlessFailed(deps.secondFactors.use(by.account, code));
  if (used === undefined) return undefined;
  await charges.refund();
  const { recovery } = used;
  if (recovery === undefined) return noCode;
  const giveBackIfFailed = async <T>(work: Promise<T>, entry?: string): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isRefusal(error)) throw error;
      const isBack = await recovery.giveBack().catch(() => false);
      if (isBack && entry !== undefined) await deps.audit.withdraw(entry);
      throw error;
    }
  };
  const entry = await giveBackIfFailed(deps.audit.add({ ...by, action: 'totp.recovery_code_used' }));
  const address = by.origin?.address ?? null;
  await deps.tellHolder(by.account, { what: 'recovery-code-used', name: String(recovery.left), address });
  return { allow: (work) => giveBackIfFailed(work, entry) };
}

/** Whether a device that has signed in to an account has done so with the second factor that the account has now, if any. */
export async function isKnownFully(
  { secondFactors }: Pick<AccountDeps, 'secondFactors'>,
  device: Device,
  account: string,
): Promise<boolean> {
  const factor = await secondFactors.find(account);
  return factor === undefined || device.isKnownWith(account, factor.id);
}

function required(message: string): SigcastError {
  return new SigcastError('SECOND_FACTOR_REQUIRED', `The code ${message}`, {
    details: [{ field: 'code', message }],
  });
}
