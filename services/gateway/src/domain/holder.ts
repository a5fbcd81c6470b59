import { SigcastError } from '@sigcast/contracts';
import type { Limits } from './account.ts';
import type { Account } from './accounts.ts';

/** Whose session an access token is of. */
export type AccessClaims = { readonly subject: string; readonly sessionId: string };

/** Sessions of account holders as /v1 knows them: a session, its account and the account's limits. */
export type SessionRepository = {
  /**
   * Whose access token this is, while the session is open and the account active.
   * @throws {SigcastError} UNAUTHORIZED, FORBIDDEN, or SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(accessToken: string): Promise<{ account: string; sessionId: string; limits: Limits }>;
};

/** Whether a bearer token has the form of a JWT: what has not is refused without any signature being computed. */
export function looksLikeAccessToken(token: string): boolean {
  return token.startsWith('eyJ') && token.length < 2_000;
}

/** What a verified access token says. @throws {SigcastError} UNAUTHORIZED for anything else. */
export function readAccessToken(
  verify: (token: string) => { readonly subject: string; readonly sessionId?: string },
  token: string,
): AccessClaims {
  try {
    const { subject, sessionId } = verify(token);
    if (sessionId === undefined) throw new Error('it is of no session');
    return { subject, sessionId };
  } catch (cause) {
    throw signedOut(cause);
  }
}

/**
 * The account behind an access token, as the stores have it now: signing out, a new password and suspension bind at
 * once, not when the token expires.
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

/** The error for a session that is over, or was none. */
export const signedOut = (cause?: unknown) =>
  new SigcastError('UNAUTHORIZED', 'Not signed in, or the session has ended', { cause });
