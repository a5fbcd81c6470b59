import type { AccountStatus } from '@sigcast/contracts';

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

/** The most keys of an account that are neither revoked nor expired. */
export const maxLiveKeys = 50;

/** A key as lists show it. The text of the key is not stored. */
export type KeyListing = {
  readonly sha256: string;
  readonly account: string;
  readonly name: string;
  readonly environment: string;
  /** The first four characters of its random part, and its last four. */
  readonly first: string;
  readonly last: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

/** The form in which an e-mail address is stored and compared: without blanks around it, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
