import { invalidRequest } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { Caller } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { signedInByAccount, wrongByDevice } from './rules.ts';
import { requireSecondFactor } from './second-factor.ts';

/**
 * Makes sure that whoever has the session knows the account's password. Wrong ones are counted by session, so that nobody can guess the
 * password with a stolen one, or keep the owner from what needs it.
 * @returns the hash of the password, who waits for another hash, and the attempts to be refunded after a fault of ours.
 * @throws {SigcastError} INVALID_REQUEST naming `current_password`; RATE_LIMIT_EXCEEDED; SERVICE_UNAVAILABLE.
 */
export async function confirmPassword(
  deps: AccountDeps,
  { caller: { account, sessionId }, res }: { readonly caller: Caller; readonly res: Response },
  password: string,
) {
  const tries = new Charges(deps.throttle);
  const charges = new Charges(deps.throttle);
  await tries.add(wrongByDevice, sessionId);
  await charges.add(signedInByAccount, account.id);
  const waiting = { kind: 'known', name: account.id, isGone: () => res.destroyed } as const;
  const found = await tries.unlessFailed(charges.unlessFailed(deps.accounts.findWithPassword(account.email)));
  const matches = await deps.passwords.matches(password, async () => found?.passwordHash, waiting);
  if (!matches || found === undefined) {
    throw invalidRequest([{ field: 'current_password', message: 'is not the current password' }]);
  }
  await tries.refund();
  return { passwordHash: found.passwordHash, waiting, charges };
}

/**
 * Makes sure that whoever has the session is the account's holder: by the password, and a code where the account has a second factor.
 * @returns what `confirmPassword` returns; `allow` waits for what it was asked for, and gives a recovery code back where that fails by a fault of ours.
 * @throws {SigcastError} what `confirmPassword` throws; SECOND_FACTOR_REQUIRED.
 */
export async function confirmHolder(
  deps: AccountDeps,
  request: { readonly caller: Caller; readonly req: Request; readonly res: Response },
  { current_password, code }: { readonly current_password: string; readonly code?: string | undefined },
) {
  const confirmed = await confirmPassword(deps, request, current_password);
  const { account, sessionId } = request.caller;
  const { allow } = await requireSecondFactor(deps, request.req, { account: account.id, code, sessionId });
  return { ...confirmed, allow };
}
