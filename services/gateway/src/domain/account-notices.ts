import type { AccountStatus } from '@sigcast/contracts';

/** What other services are told about an account: its state. Of two notices, the one with the greater `rev` is valid. */
export type AccountNotice = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
  /** Whether its webhooks wait until its holder has verified the e-mail address. */
  readonly unverified: boolean;
  /** When its keys and webhooks were last revoked. */
  readonly accessRevokedAt: Date | null;
};

/** Accounts whose state the other services do not know yet. */
export type AccountNotices = {
  /** The current notices of at most `limit` accounts that have one to publish. */
  waiting(limit: number): Promise<readonly AccountNotice[]>;
  /**
   * Marks this notice as published. A newer notice of the account goes on waiting. Removes the keys, sessions, mails and
   * usage of a deleted account.
   */
  markPublished(notice: AccountNotice): Promise<void>;
};
