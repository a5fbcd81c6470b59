import { SigcastError } from '@sigcast/contracts';
import type { Account } from './accounts.ts';
import type { Limits } from './plan.ts';

/** The account (`subject`) and session that an access token names. */
export type AccessClaims = { readonly subject: string; readonly sessionId: string };

/** Finds the open session of an access token, with its account and limits, for requests under /v1. */
export type SessionRepository = {
  /**
   * The session of an access token, while it is open and its account active.
   * @throws {SigcastError} UNAUTHORIZED, FORBIDDEN, or SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(accessToken: string): Promise<{ account: string; sessionId: string; limits: Limits }>;
};

/** Whether a bearer token has the form of a JWT. Other tokens are refused without verifying a signature. */
export function looksLikeAccessToken(token: string): boolean {
  return token.startsWith('eyJ') && token.length < 2_000;
}

/** Verifies an access token. @throws {SigcastError} UNAUTHORIZED for an invalid one. */
export function readAccessToken(
  verify: (token: string) => { readonly subject: string; readonly sessionId?: string },
  token: string,
): AccessClaims {
  try {
    const { subject, sessionId } = verify(token);
    if (sessionId === undefined) throw new Error('the token names no session');
    return { subject, sessionId };
  } catch (cause) {
    throw signedOut(cause);
  }
}

/**
 * The account of an access token, read from the store: signing out, a new password and a suspension take effect at once, not
 * when the token expires.
 * @throws {SigcastError} UNAUTHORIZED when the session has ended, FORBIDDEN when the account is suspended.
 */
export async function findHolder(
  stores: {
    readonly sessions: { isOpen(sessionId: string, account: string): Promise<boolean> };
    readonly accounts: { find(id: string): Promise<Account | undefined> };
  },
  { subject, sessionId }: AccessClaims,
): Promise<Account> {
  const [open, account] = await Promise.all([
    stores.sessions.isOpen(sessionId, subject),
    stores.accounts.find(subject),
  ]);
  if (!open || account === undefined) throw signedOut();
  if (account.status !== 'active') throw new SigcastError('FORBIDDEN', 'This account is suspended');
  return account;
}

/** The error for a session that has ended or never existed. */
export const signedOut = (cause?: unknown) =>
  new SigcastError('UNAUTHORIZED', 'Not signed in, or the session has ended', { cause });
