import type { AccountStatus } from '@sigcast/contracts';

/** What other services are told about an account: its status. Of two notices, the one with the greater `rev` is valid. */
export type AccountNotice = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
};

/** Accounts whose status the other services do not know yet. */
export type AccountNotices = {
  /** The current notices of at most `limit` accounts that have one to publish. */
  waiting(limit: number): Promise<readonly AccountNotice[]>;
  /**
   * Marks this notice as published. A newer notice of the account goes on waiting. Removes the keys, sessions and usage of
   * a deleted account.
   */
  markPublished(notice: AccountNotice): Promise<void>;
};
