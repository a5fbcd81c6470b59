/** The most passkeys of an account. */
export const maxPasskeys = 10;

/** What is known of a passkey by its authenticator (Web Authentication, 4: public key credential). */
export type Credential = {
  /** In base64url. */
  readonly credentialId: string;
  /** In COSE (RFC 9052). */
  readonly publicKey: Uint8Array;
  /** How often it was used, as it says itself; 0 for ever where it does not count. */
  readonly counter: number;
  /** How browsers reach it. */
  readonly transports: readonly string[];
};

/** A passkey of an account. */
export type Passkey = Credential & {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

/** Passkeys of accounts. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type Passkeys = {
  /** Newest first. */
  list(account: string): Promise<Passkey[]>;
  find(credentialId: string): Promise<Passkey | undefined>;
  /** @returns `full` where the account has the most passkeys allowed, `taken` where the credential is known already. */
  add(account: string, name: string, credential: Credential): Promise<Passkey | 'full' | 'taken'>;
  /** Moves the counter on. False when it is not that of `passkey` any more, or the passkey was removed. */
  noteUse(passkey: Passkey, counter: number): Promise<boolean>;
  /** Undefined where the account has no such passkey. */
  remove(account: string, id: string): Promise<Passkey | undefined>;
  removeAll(account: string): Promise<void>;
  /** Notes that a challenge was used. False when it was used before. */
  useChallenge(id: string): Promise<boolean>;
};
