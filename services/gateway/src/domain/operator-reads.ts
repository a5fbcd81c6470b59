import type { Account } from './accounts.ts';
import type { Plan } from './plan.ts';

/** Figures of an account: requests with its keys since 00:00 UTC, and keys that are valid now. */
export type AccountFigures = {
  readonly requests: number;
  readonly refused: number;
  readonly liveKeys: number;
};

/** Reads of accounts and plans for operators. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type OperatorReads = {
  /** Newest first, older than the account with the id `after`. */
  newest(page: { readonly after: string | undefined; readonly limit: number }): Promise<Account[]>;
  /** Accounts whose e-mail address begins with `prefix`, sorted by address, those after the address `after`. */
  byEmail(page: {
    readonly prefix: string;
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<Account[]>;
  figuresOf(ids: readonly string[]): Promise<ReadonlyMap<string, AccountFigures>>;
  /** The addresses of those accounts that still exist, by id. */
  emailsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  plans(): Promise<Plan[]>;
  /** The accounts that are marked as operators, 100 at most. */
  operators(): Promise<Account[]>;
};
