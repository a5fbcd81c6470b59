import { type AccountRole, SigcastError } from '@sigcast/contracts';
import type { Account } from './accounts.ts';
import { type Holder, type Members, ownHolder } from './members.ts';
import type { Limits } from './plan.ts';

/** What an access token names: the account that it acts for (`subject`), the session, and the person whose session it is. */
export type AccessClaims = {
  readonly subject: string;
  readonly sessionId: string;
  /** The id of the person's own account. */
  readonly person: string;
};

/** An open session: the account that it acts for, with the role of its person there. */
export type FoundSession = {
  readonly account: string;
  readonly sessionId: string;
  readonly person: string;
  readonly role: AccountRole;
  readonly limits: Limits;
};

/** Finds the open session of an access token, with its account and limits, for requests under /v1. */
export type SessionRepository = {
  /**
   * The session of an access token, while it is open and its account active.
   * @throws {SigcastError} UNAUTHORIZED, FORBIDDEN, or SERVICE_UNAVAILABLE when the store can't be asked.
   */
  find(accessToken: string): Promise<FoundSession>;
};

/** Whether a bearer token has the form of a JWT. Other tokens are refused without verifying a signature. */
export function looksLikeAccessToken(token: string): boolean {
  return token.startsWith('eyJ') && token.length < 2_000;
}

/** Verifies an access token. @throws {SigcastError} UNAUTHORIZED for an invalid one. */
export function readAccessToken(
  verify: (token: string) => {
    readonly subject: string;
    readonly sessionId?: string;
    readonly person?: string;
  },
  token: string,
): AccessClaims {
  try {
    const { subject, sessionId, person = subject } = verify(token);
    if (sessionId === undefined) throw new Error('the token names no session');
    return { subject, sessionId, person };
  } catch (cause) {
    throw signedOut(cause);
  }
}

/** What a holder is looked up in. */
export type HolderStores = {
  readonly sessions: { isOpen(sessionId: string, account: string): Promise<boolean> };
  readonly accounts: { find(id: string): Promise<Account | undefined> };
  readonly members: Pick<Members, 'roleOf'>;
};

/**
 * The holder of an access token, read from the stores: signing out, a new password, a suspension and the end of a membership take
 * effect at once, not when the token expires.
 * @throws {SigcastError} UNAUTHORIZED when the session or the membership has ended, FORBIDDEN when an account is suspended.
 */
export async function findHolder(
  stores: HolderStores,
  { subject, sessionId, person: id }: AccessClaims,
): Promise<Holder> {
  const [open, person] = await Promise.all([stores.sessions.isOpen(sessionId, id), stores.accounts.find(id)]);
  if (!open || person === undefined) throw signedOut();
  if (person.status !== 'active') throw suspended();
  const holder = await findActing(stores, person, subject);
  if (holder === undefined) throw signedOut();
  if (holder.account.status !== 'active') throw suspended();
  return holder;
}

/** A person who acts for an account; undefined where they are no member of it, or it is deleted. */
export async function findActing(
  { accounts, members }: Omit<HolderStores, 'sessions'>,
  person: Account,
  id: string,
): Promise<Holder | undefined> {
  if (id === person.id) return ownHolder(person);
  const [role, account] = await Promise.all([members.roleOf(id, person.id), accounts.find(id)]);
  return role && account && { account, person, role };
}

const suspended = () => new SigcastError('FORBIDDEN', 'This account is suspended');

/** The error for a session that has ended or never existed. */
export const signedOut = (cause?: unknown) =>
  new SigcastError('UNAUTHORIZED', 'Not signed in, or the session has ended', { cause });
