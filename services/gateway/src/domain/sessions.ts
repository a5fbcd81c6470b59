/** A session's refresh token: the text of the cookie, and when it expires. */
export type RefreshToken = { readonly sessionId: string; readonly text: string; readonly expiresAt: Date };

/** Sessions of account holders. Each has one refresh token at a time; using it replaces it. */
export type Sessions = {
  /**
   * Begins a session. A new password ends it.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked; so do all methods.
   */
  open(account: string, passwordHash: string): Promise<RefreshToken>;
  /**
   * Replaces a refresh token by its successor. For a minute the replaced token gives the same successor again. Undefined for
   * any other text. An older token of the session means that somebody has a copy: then the session ends (RFC 9700, 4.14.2).
   */
  renew(text: string): Promise<{ account: string; token: RefreshToken } | undefined>;
  isOpen(sessionId: string, account: string): Promise<boolean>;
  /** Ends one session. Does nothing when it has ended already. */
  end(sessionId: string): Promise<void>;
  /** Ends the session of a refresh token, also of a replaced one. Undefined when there is none. */
  endByToken(text: string): Promise<{ readonly account: string; readonly sessionId: string } | undefined>;
  endAll(account: string): Promise<void>;
};
