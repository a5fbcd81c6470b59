import { invalidRequest, type LinkMailView, SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import type { Request } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { networksOf } from '../../domain/client-address.ts';
import type { Letter, LetterKind } from '../../domain/mail/letters.ts';
import type { ThrottleRule } from '../../domain/throttle.ts';
import { clientAddress } from '../client-address.ts';
import type { AccountDeps } from './deps.ts';
import { lettersByAccount, lettersByNetwork } from './rules.ts';

/** A letter without its id; of each kind its own values. */
type NewLetter = Letter extends infer Each ? (Each extends Letter ? Omit<Each, 'id'> : never) : never;

/** @throws {SigcastError} CONFLICT where this server sends no mail. */
export function requireMail({ mail }: Pick<AccountDeps, 'mail'>): void {
  if (mail.add === undefined)
    throw new SigcastError('CONFLICT', 'This server sends no mail; ask its operator instead');
}

/** The limit of letters by the network that asks for them, with what is counted. */
export function limitOfNetwork(
  { trustProxy }: Pick<AccountDeps, 'trustProxy'>,
  req: Request,
  kind: LetterKind,
): readonly [ThrottleRule, string] {
  const { network } = networksOf(clientAddress(req, trustProxy));
  return [lettersByNetwork, `${kind} ${network}`];
}

/**
 * Counts a letter by the network that asks for it, adds it, and answers where it goes: the same for every address.
 * @throws {SigcastError} RATE_LIMIT_EXCEEDED, with the time to wait.
 */
export async function answerLetter(
  deps: Pick<AccountDeps, 'mail' | 'throttle' | 'trustProxy'>,
  req: Request,
  letter: NewLetter,
): Promise<{ readonly data: LinkMailView }> {
  await deps.throttle.charge(...limitOfNetwork(deps, req, letter.kind));
  return addLetter(deps, letter);
}

/**
 * Adds the letter that confirms the address which an account is to have, or else has, and answers where it goes.
 * @throws {SigcastError} RATE_LIMIT_EXCEEDED, with the time to wait.
 */
export async function answerConfirmation(
  deps: Pick<AccountDeps, 'mail' | 'throttle' | 'trustProxy'>,
  req: Request,
  { id, email, newEmail }: Pick<Account, 'id' | 'email' | 'newEmail'>,
): Promise<{ readonly data: LinkMailView }> {
  await deps.throttle.charge(lettersByAccount, id);
  return answerLetter(deps, req, { kind: 'confirm', to: newEmail ?? email, values: { account: id } });
}

/** Adds a letter that was counted before, and answers where it goes. */
export async function addLetter(
  deps: Pick<AccountDeps, 'mail'>,
  letter: NewLetter,
): Promise<{ readonly data: LinkMailView }> {
  await deps.mail.add?.({ id: newId('mail'), ...letter } as Letter);
  return { data: { email: letter.to } };
}

/** The error for a token that is wrong, too old, or used already. */
export const invalidLink = () =>
  invalidRequest([{ field: 'token', message: 'is not valid, or no longer: ask for another mail' }]);
