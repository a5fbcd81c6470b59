import type { AuditOrigin } from './audit.ts';

/** A session's refresh token: the text of the cookie, and when it expires. */
export type RefreshToken = { readonly sessionId: string; readonly text: string; readonly expiresAt: Date };

/** A session as its account's holder sees it. */
export type OpenSession = {
  readonly id: string;
  readonly createdAt: Date;
  /** When it was begun or renewed last, and from where. */
  readonly lastUsedAt: Date;
  readonly origin: AuditOrigin;
  readonly expiresAt: Date;
};

/** A renewed session: the account of its person, and the one that it acts for where that is another. */
export type RenewedSession = {
  readonly account: string;
  readonly actsFor?: string | undefined;
  readonly token: RefreshToken;
};

/** Sessions of account holders. Each has one refresh token at a time; using it replaces it. */
export type Sessions = {
  /**
   * Begins a session. A new password ends it.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked; so do all methods.
   */
  open(account: string, passwordHash: string, origin: AuditOrigin): Promise<RefreshToken>;
  /**
   * Replaces a refresh token by its successor. For a minute the replaced token gives the same successor again. Undefined for
   * any other text. An older token of the session means that somebody has a copy: then the session ends (RFC 9700, 4.14.2).
   */
  renew(text: string, origin: AuditOrigin): Promise<RenewedSession | undefined>;
  /** From now on, a session acts for an account, which may be its person's own. */
  actFor(sessionId: string, account: string): Promise<void>;
  isOpen(sessionId: string, account: string): Promise<boolean>;
  /** The open sessions of an account: the 100 that were used last, last used first. */
  list(account: string): Promise<OpenSession[]>;
  /** Ends a session of an account. False when the account has no such session. */
  endOne(account: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of an account but one. Returns how many. */
  endOthers(account: string, sessionId: string): Promise<number>;
  /** Ends one session. Does nothing when it has ended already. */
  end(sessionId: string): Promise<void>;
  /** Ends the session of a refresh token, also of a replaced one. Undefined when there is none. */
  endByToken(text: string): Promise<{ readonly account: string; readonly sessionId: string } | undefined>;
  endAll(account: string): Promise<void>;
};
