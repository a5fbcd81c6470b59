import { SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import type { ThrottleRule } from '../../domain/throttle.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { deviceOf } from './device-cookie.ts';
import { wrongCodeByAccount, wrongCodeByAccountAndDay, wrongCodeByDevice } from './rules.ts';

/**
 * Requires a code where the account has a second factor, of somebody who has given the right password. Wrong codes of a device that
 * has signed in with this factor before are counted apart: strangers with the password can't lock it out.
 * @throws {SigcastError} SECOND_FACTOR_REQUIRED without a code that is right, RATE_LIMIT_EXCEEDED after too many.
 */
export async function requireSecondFactor(
  deps: AccountDeps,
  req: Request,
  { account, code }: { readonly account: string; readonly code: string | undefined },
): Promise<void> {
  const factor = await deps.secondFactors.find(account);
  if (factor === undefined) return;
  if (code === undefined) throw required('is required');
  const device = deviceOf(deps, req);
  const isKnown = device?.isKnownWith(account, factor.id) === true;
  const right = await useCode(deps, account, code, isKnown ? [[wrongCodeByDevice, device.id]] : undefined);
  if (!right) throw required('is wrong, or was used already');
}

/**
 * Whether a code is right. It is used up.
 * @param rules by what wrong ones are counted. Default: by account.
 * @throws {SigcastError} RATE_LIMIT_EXCEEDED after too many wrong ones.
 */
export async function useCode(
  deps: Pick<AccountDeps, 'throttle' | 'secondFactors'>,
  account: string,
  code: string,
  rules: readonly (readonly [ThrottleRule, string])[] = [
    [wrongCodeByAccount, account],
    [wrongCodeByAccountAndDay, account],
  ],
): Promise<boolean> {
  const charges = new Charges(deps.throttle);
  // Before the code is looked at, so that many at once are no way around.
  for (const [rule, subject] of rules) await charges.add(rule, subject);
  const right = await charges.unlessFailed(deps.secondFactors.use(account, code));
  if (right) await charges.refund();
  return right;
}

function required(message: string): SigcastError {
  return new SigcastError('SECOND_FACTOR_REQUIRED', `The code ${message}`, {
    details: [{ field: 'code', message }],
  });
}
