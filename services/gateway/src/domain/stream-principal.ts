import type { KeyUse } from './restrictions.ts';

/** By what a stream was opened: a key of an account and how it is used, or a session of a person who acts for the account. */
export type StreamPrincipal =
  | { readonly account: string; readonly keySha256: string; readonly use: KeyUse }
  | { readonly account: string; readonly sessionId: string; readonly person: string };

/** Looks up the keys, sessions and accounts of open streams in the store. */
export type StreamPrincipals = {
  /**
   * Until when each principal may have a stream open, in Unix milliseconds, in the order given. 0: not any more, because the
   * key is revoked or unknown or may not be used so any more, the session, its password or the membership has ended, or an account is not active. Undefined: no end.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the store can't be asked.
   */
  validUntilMs(principals: readonly StreamPrincipal[]): Promise<readonly (number | undefined)[]>;
};

/** Slots for streams: bounds the streams of an account over all gateways. Only a bug rejects. */
export type StreamSlots = {
  /** False when the account has `max` streams. True when Redis is unavailable: each gateway then counts its own streams. */
  acquire(account: string, streamId: string, max: number): Promise<boolean>;
  release(account: string, streamId: string): Promise<void>;
  /**
   * Renews the slots of open streams. A slot that is not renewed for 30 s is free. The map is read during the call: a stream
   * that has ended by then is not renewed.
   */
  renew(byAccount: ReadonlyMap<string, ReadonlySet<string>>): Promise<void>;
};
