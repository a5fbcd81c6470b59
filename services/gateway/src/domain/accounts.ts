import type { AccountStatus } from '@sigcast/contracts';
import type { Plan } from './plan.ts';

/** An account as its operator sees it. */
export type Account = {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly status: Exclude<AccountStatus, 'deleted'>;
  /** Whether its sessions reach the routes for operators. */
  readonly operator: boolean;
  readonly createdAt: Date;
};

/** Whether a text has the form of an account's id. An e-mail address never has. */
export function isAccountId(text: string): boolean {
  return /^acct_[0-9A-Z]{26}$/.test(text);
}

/** Accounts and plans for the routes of account holders. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type AccountRepository = {
  create(given: { email: string; passwordHash: string; plan: string }): Promise<Account | undefined>;
  find(idOrEmail: string): Promise<Account | undefined>;
  findWithPassword(email: string): Promise<{ account: Account; passwordHash: string } | undefined>;
  replacePassword(id: string, from: string, to: string): Promise<boolean>;
  findPlan(name: string): Promise<Plan | undefined>;
};

/** The form in which an e-mail address is stored and compared: without blanks around it, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
