import { invalidRequest } from '@sigcast/contracts';
import type { Request, Response } from 'express';
import type { Caller } from './caller.ts';
import { Charges } from './charges.ts';
import type { AccountDeps } from './deps.ts';
import { signedInByAccount, wrongByDevice } from './rules.ts';

/**
 * Makes sure that whoever has the session knows the account's password. Tries are counted by session, so that nobody can guess the
 * password with a stolen one, or keep the owner from what needs it.
 * @returns the hash of the password, who waits for another hash, and the attempts to be refunded after a fault of ours.
 * @throws {SigcastError} INVALID_REQUEST naming `current_password`; RATE_LIMIT_EXCEEDED; SERVICE_UNAVAILABLE.
 */
export async function confirmPassword(
  deps: AccountDeps,
  {
    caller: { account, sessionId },
    res,
  }: { readonly caller: Caller; readonly req: Request; readonly res: Response },
  password: string,
) {
  const charges = new Charges(deps.throttle);
  await charges.add(wrongByDevice, sessionId);
  await charges.add(signedInByAccount, account.id);
  const waiting = { kind: 'known', name: account.id, isGone: () => res.destroyed } as const;
  const found = await charges.unlessFailed(deps.accounts.findWithPassword(account.email));
  const matches = await deps.passwords.matches(password, async () => found?.passwordHash, waiting);
  if (!matches || found === undefined) {
    throw invalidRequest([{ field: 'current_password', message: 'is not the current password' }]);
  }
  return { passwordHash: found.passwordHash, waiting, charges };
}
