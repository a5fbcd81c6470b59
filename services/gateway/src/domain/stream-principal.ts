/** Who opened a stream: an account by one of its keys, or its holder by a session. */
export type StreamPrincipal =
  | { readonly account: string; readonly keySha256: string }
  | { readonly account: string; readonly sessionId: string };

/** Keys, sessions and accounts, as the truth has them, for those who have streams open. */
export type StreamPrincipals = {
  /**
   * Until when each may have a stream open, in Unix milliseconds, in the order given: 0 where it may not any more (the
   * key is revoked or unknown, the session or its password has ended, the account is not active), undefined where
   * nothing is known to end it.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  validUntilMs(principals: readonly StreamPrincipal[]): Promise<readonly (number | undefined)[]>;
};

/** Counts streams by account over all gateways. Only a bug rejects. */
export type StreamSlots = {
  /** False when the account has `max` streams. True while that can't be known: each gateway then counts for itself. */
  acquire(account: string, streamId: string, max: number): Promise<boolean>;
  release(account: string, streamId: string): Promise<void>;
  /**
   * Says that these streams are still open; those of whom nothing is said for 30 s don't count any more. What is given may
   * change meanwhile: a stream that has ended by then is not said to be open.
   */
  renew(byAccount: ReadonlyMap<string, ReadonlySet<string>>): Promise<void>;
};
