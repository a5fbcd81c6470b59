import { invalidRequest } from '@sigcast/contracts';
import type { Response } from 'express';
import type { Caller } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { signedInByAccount, wrongByDevice } from './rules.ts';

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
