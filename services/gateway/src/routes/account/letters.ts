import { invalidRequest, type LinkMailView, SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import type { Letter } from '../../domain/mail/letters.ts';
import type { AccountDeps } from './deps.ts';

/** A letter without its id; of each kind its own values. */
type NewLetter = Letter extends infer Each ? (Each extends Letter ? Omit<Each, 'id'> : never) : never;

/** @throws {SigcastError} CONFLICT where this server sends no mail. */
export function requireMail({ mail }: Pick<AccountDeps, 'mail'>): void {
  if (mail.add === undefined)
    throw new SigcastError('CONFLICT', 'This server sends no mail; ask its operator instead');
}

/** Adds a letter, and answers where it goes: the same for every address. */
export async function answerLetter(
  { mail }: Pick<AccountDeps, 'mail'>,
  letter: NewLetter,
): Promise<{ readonly data: LinkMailView }> {
  await mail.add?.({ id: newId('mail'), ...letter } as Letter);
  return { data: { email: letter.to } };
}

/** The error for a token that is wrong, too old, or used already. */
export const invalidLink = () =>
  invalidRequest([{ field: 'token', message: 'is not valid, or no longer: ask for another mail' }]);
