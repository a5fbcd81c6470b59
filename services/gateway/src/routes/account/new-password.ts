import { invalidRequest } from '@sigcast/contracts';
import type { AccountDeps } from './deps.ts';

/** @throws {SigcastError} INVALID_REQUEST, naming `field`, where a new password is one that attackers try first. */
export function requireUncommon(
  { isCommonPassword }: Pick<AccountDeps, 'isCommonPassword'>,
  field: string,
  password: string,
): void {
  if (!isCommonPassword(password)) return;
  const message = 'must not be one of the most common passwords, nor one with digits or signs around it';
  throw invalidRequest([{ field, message }]);
}
