import type { Request } from 'express';
import type { Account } from '../../domain/accounts.ts';
import { sha256Of } from '../../domain/api-key.ts';
import type { SecondFactor } from '../../domain/second-factors.ts';
import { dayMs } from '../../domain/usage.ts';
import { type Cookie, readCookie } from './cookies.ts';
import type { AccountDeps } from './deps.ts';

/** Longer than any session, so that a device is still known when its session has ended. */
const knownForMs = 180 * dayMs;

/** A device that has signed in to an account. */
export type Device = {
  readonly id: string;
  /** Whether it has signed in to this account, with the present password. */
  isKnownTo(found: { readonly account: Account; readonly passwordHash: string }): boolean;
  /** Whether it has signed in to this account with this second factor. */
  isKnownWith(account: string, factorId: string): boolean;
};

/**
 * A cookie by which a browser shows that it has signed in to an account with its present password. It gives no access: wrong
 * passwords of strangers don't keep such a browser from signing in.
 */
export function deviceCookie(
  { signDevice }: AccountDeps,
  {
    account,
    passwordHash,
    factor,
  }: {
    readonly account: string;
    readonly passwordHash: string;
    /** The second factor that it has signed in with. */
    readonly factor: Pick<SecondFactor, 'id'> | undefined;
  },
): Cookie {
  const ttlS = knownForMs / 1000;
  const scopes = factor === undefined ? [] : [factor.id];
  const text = signDevice({ subject: account, scopes, ttlS, sessionId: passwordMark(passwordHash) });
  return { name: 'sigcast_device', value: text, maxAgeS: ttlS };
}

/** The device that the cookie of a request names; undefined without a valid one. */
export function deviceOf(deps: AccountDeps, req: Request): Device | undefined {
  const text = readCookie(deps, req, 'sigcast_device');
  if (text === undefined) return undefined;
  try {
    const { subject, sessionId, scopes } = deps.verifyDevice(text);
    return {
      id: sha256Of(text),
      isKnownTo: ({ account, passwordHash }) =>
        account.id === subject && passwordMark(passwordHash) === sessionId,
      isKnownWith: (account, factorId) => account === subject && scopes.includes(factorId),
    };
  } catch {
    return undefined;
  }
}

/** Changes with the password. The hash that it is made of has a random salt, so it tells nothing of the password. */
function passwordMark(passwordHash: string): string {
  return sha256Of(passwordHash).slice(0, 32);
}
