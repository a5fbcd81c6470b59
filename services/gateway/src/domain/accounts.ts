import type { AccountStatus } from '@sigcast/contracts';
import type { Plan } from './plan.ts';

/**
 * Whether an account's holder has shown that the e-mail address is theirs. `pending`: the operator asks for it
 * (`REQUIRE_VERIFIED_EMAIL`), so other services let the account's webhooks wait. `verified`: `account verify`, or an
 * operator has created the account. The account's event carries it, as `unverified`.
 */
export type EmailVerification = 'not-asked' | 'pending' | 'verified';

/** An account as its operator sees it. */
export type Account = {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly status: Exclude<AccountStatus, 'deleted'>;
  /** Whether its sessions reach the routes for operators. */
  readonly operator: boolean;
  readonly verification: EmailVerification;
  readonly createdAt: Date;
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

/** Accounts and plans for the routes of account holders. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type AccountRepository = {
  create(given: NewAccount): Promise<Account | undefined>;
  find(idOrEmail: string): Promise<Account | undefined>;
  findWithPassword(email: string): Promise<{ account: Account; passwordHash: string } | undefined>;
  /** With `revokeAccess`, the same write revokes the account's webhooks. False when the hash is not `from` any more. */
  replacePassword(id: string, change: { from: string; to: string; revokeAccess: boolean }): Promise<boolean>;
  findPlan(name: string): Promise<Plan | undefined>;
};

/** The form in which an e-mail address is stored and compared: without blanks around it, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
