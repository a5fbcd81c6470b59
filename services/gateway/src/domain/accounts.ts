import type { AccountStatus } from '@sigcast/contracts';
import type { Plan } from './plan.ts';

/**
 * Whether an account's holder has shown that the e-mail address is theirs. `pending`: the operator asks for it
 * (`REQUIRE_VERIFIED_EMAIL`), so other services let the account's webhooks wait. `verified`: its holder has
 * followed the link of a mail, or an operator has said so or created the account. The account's event carries it, as `unverified`.
 */
export const emailVerifications = ['not-asked', 'pending', 'verified'] as const;
export type EmailVerification = (typeof emailVerifications)[number];

/** An account as its operator sees it. */
export type Account = {
  readonly id: string;
  readonly email: string;
  /** The address that it is to have, once its holder has confirmed it. */
  readonly newEmail: string | null;
  readonly plan: string;
  readonly status: Exclude<AccountStatus, 'deleted'>;
  /** Whether its sessions reach the routes for operators. */
  readonly operator: boolean;
  readonly verification: EmailVerification;
  readonly createdAt: Date;
  /** When access was revoked last: passkeys of before no longer sign in. Null where it never was. */
  readonly accessRevokedAt: Date | null;
};

/** Whether a text has the form of an account's id. An e-mail address never has. */
export function isAccountId(text: string): boolean {
  return /^acct_[0-9A-Z]{26}$/.test(text);
}

export type NewAccount = {
  readonly email: string;
  readonly passwordHash: string;
  readonly plan: string;
  /** Default: `not-asked`. */
  readonly verification?: EmailVerification;
};

/** A new password's hash. The change is made only while the present hash is `from`. */
export type PasswordChange = {
  readonly from: string;
  readonly to: string;
  /** Whether the same write revokes the account's webhooks and passkeys. */
  readonly revokeAccess: boolean;
};

/** Accounts and plans for the routes of account holders. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type AccountRepository = {
  create(given: NewAccount): Promise<Account | undefined>;
  find(idOrEmail: string): Promise<Account | undefined>;
  findWithPassword(idOrEmail: string): Promise<{ account: Account; passwordHash: string } | undefined>;
  /** An address that is not confirmed yet is forgotten: whoever knew the password may have named it. */
  replacePassword(id: string, change: PasswordChange): Promise<boolean>;
  /** Sets the address that an account is to have, once it is confirmed. */
  setNewEmail(id: string, email: string): Promise<void>;
  /** Gives an account its new address, confirmed. `changed`: it is to have another one by now. */
  takeNewEmail(id: string, email: string): Promise<'taken' | 'changed' | 'done'>;
  /** Deletes an account. Undefined when there is no such account. */
  remove(id: string): Promise<Account | undefined>;
  /** Notes that the account's address is its holder's. */
  verify(id: string): Promise<Account | undefined>;
  findPlan(name: string): Promise<Plan | undefined>;
};

/** The form in which an e-mail address is stored and compared: without blanks around it, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
