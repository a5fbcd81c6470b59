import { invalidRequest, type SigcastError } from '@sigcast/contracts';
import type { PasswordChange } from '../../domain/accounts.ts';
import { recorded } from '../../domain/audit.ts';
import type { Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** @throws {SigcastError} INVALID_REQUEST, naming `field`, where a new password is one that attackers try first. */
export function requireUncommon(
  { isCommonPassword }: Pick<AccountDeps, 'isCommonPassword'>,
  field: string,
  password: string,
): void {
  if (!isCommonPassword(password)) return;
  throw invalidRequest([{ field, message: 'is too common: add a few unrelated words' }]);
}

/**
 * Replaces an account's password, with its entries in the audit log.
 * @throws `refusal` where the password is not the one that is to be replaced any more.
 */
export async function replacePassword(
  { accounts, audit }: Pick<AccountDeps, 'accounts' | 'audit'>,
  {
    by,
    action,
    change,
    refusal,
  }: {
    readonly by: Caller['by'];
    readonly action: 'password.changed' | 'password.reset';
    readonly change: PasswordChange;
    readonly refusal: () => SigcastError;
  },
): Promise<void> {
  const write = async () => {
    if (!(await accounts.replacePassword(by.account, change))) throw refusal();
  };
  const revoke = () => recorded(audit, { ...by, action: 'access.revoked' }, write);
  await recorded(audit, { ...by, action }, change.revokeAccess ? revoke : write);
}
