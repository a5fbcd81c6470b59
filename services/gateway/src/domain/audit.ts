import { type AuditAction, errorStatus, type OperatorAction, SigcastError } from '@sigcast/contracts';

/** Who acts: a person who is signed in (by their account), an API key, an operator, or the service by itself. */
export type AuditActor =
  | { readonly kind: 'holder' | 'key'; readonly id: string }
  | { readonly kind: 'operator' | 'system' };

/** From where somebody acts; null where it is not known. */
export type AuditOrigin = { readonly address: string | null; readonly userAgent: string | null };

/** One action on an account. */
export type AuditEntry = {
  readonly account: string;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** What is acted on, by its id; absent for the account itself. Never a secret. */
  readonly target?: string | undefined;
  readonly origin?: AuditOrigin | undefined;
};

/** A stored entry. */
export type StoredAuditEntry = AuditEntry & { readonly id: string; readonly at: Date };

/** Which entries of an account to read, newest first. */
export type AuditRange = {
  readonly action?: AuditAction | undefined;
  /** Exclusive. */
  readonly since?: Date | undefined;
  /** Only entries older than this one. */
  readonly before?: string | undefined;
  readonly limit: number;
};

/**
 * What happened to accounts, for their holders. An entry is added before its action is done, so an entry alone does not
 * prove that the action succeeded.
 */
export type AuditLog = {
  /**
   * @returns the entry's id.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when the entry is not stored: then the action must not be done.
   */
  add(entry: AuditEntry): Promise<string>;
  /** Removes the entry of an action that was refused, and so changed nothing. Never rejects: the entry may stay. */
  withdraw(id: string): Promise<void>;
  list(account: string, range: AuditRange): Promise<StoredAuditEntry[]>;
};

/**
 * Adds an entry, then does its action. The entry is removed again where the action is refused, and so has changed nothing; it stays
 * where a store fails, which may have done it.
 */
export async function recorded<T>(audit: AuditLog, entry: AuditEntry, action: () => Promise<T>): Promise<T> {
  const id = await audit.add(entry);
  try {
    return await action();
  } catch (error) {
    if (isRefusal(error)) await audit.withdraw(id);
    throw error;
  }
}

/** Whether an error refuses what a client asked for. Any other is a failure of ours, after which a store may have done it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof SigcastError && errorStatus[error.code] < 500;
}

/** How an account's holder sees what an operator does to the account. */
export const auditActionOf: { readonly [A in OperatorAction]?: AuditAction } = {
  'account.suspend': 'account.suspended',
  'account.resume': 'account.resumed',
  'account.plan': 'account.plan_changed',
  'account.password': 'password.reset',
  'account.delete': 'account.deleted',
  'account.verify': 'email.verified',
  'factors.reset': 'totp.off',
  'operators.add': 'account.operator_added',
  'operators.remove': 'account.operator_removed',
  'key.create': 'key.created',
  'key.revoke': 'key.revoked',
};
