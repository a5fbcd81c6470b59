/** A session's refresh token, as it goes into the cookie, and how long that may be kept. */
export type RefreshToken = { readonly sessionId: string; readonly text: string; readonly expiresAt: Date };

/** Sessions of account holders. Each has one refresh token at a time; using it replaces it. */
export type Sessions = {
  /**
   * Begins a session that lasts no longer than the password it was opened with.
   * @throws {SigcastError} SERVICE_UNAVAILABLE, as all of these, when the store can't be asked.
   */
  open(account: string, passwordHash: string): Promise<RefreshToken>;
  /**
   * Replaces a token by the next one; for a minute, asking again with the replaced one gives the same. Undefined where
   * it is neither; if it was one before, somebody has a copy, and the session ends for everybody (RFC 9700, 4.14.2).
   */
  renew(text: string): Promise<{ account: string; token: RefreshToken } | undefined>;
  isOpen(sessionId: string, account: string): Promise<boolean>;
  /** Ends one session; one that has ended already stays so. */
  end(sessionId: string): Promise<void>;
  /** Ends the session that a refresh token is of, be it replaced already. */
  endByToken(text: string): Promise<void>;
  endAll(account: string): Promise<void>;
};
