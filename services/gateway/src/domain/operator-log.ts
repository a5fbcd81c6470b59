import type { OperatorAction, OperatorChange } from '@sigcast/contracts';
import type { Account } from './accounts.ts';

/** Who acts: an operator in the dashboard, or whoever ran a command. */
export type Actor =
  | { readonly via: 'dashboard'; readonly account: string }
  | { readonly via: 'command'; readonly user: string };

/** What an action concerns, by name: never an e-mail address or a secret. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** One action of an operator. */
export type LogEntry = {
  readonly actor: Actor;
  readonly action: OperatorAction;
  /** The account's id; null where the action is about none. */
  readonly account: string | null;
  readonly before: Facts;
  readonly after: Facts;
};

/** An entry as it is kept. */
export type KeptEntry = LogEntry & { readonly id: string; readonly at: Date };

/** What operators did. Entries are added and never changed. */
export type OperatorLog = {
  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the store does not take it: then nothing may be done. */
  add(entry: LogEntry): Promise<void>;
  /** Newest first, older than the entry `after`. */
  list(which: {
    readonly account?: string | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<KeptEntry[]>;
};

/** Where accounts are changed. Both return undefined when there is no such account any more. */
export type ChangeableAccounts = {
  setStatus(id: string, status: Account['status']): Promise<Account | undefined>;
  setPlan(id: string, plan: string): Promise<Account | undefined>;
};

/**
 * Changes an account for an operator. The log has the action before it is made: no change is without an entry, and an
 * entry says that somebody gave the order.
 */
export async function changeAccount(
  { accounts, log }: { readonly accounts: ChangeableAccounts; readonly log: OperatorLog },
  { actor, account, change }: { actor: Actor; account: Account; change: OperatorChange },
): Promise<Account | undefined> {
  const { id } = account;
  if ('plan' in change) {
    const { plan } = change;
    await log.add({
      ...{ actor, action: 'account.plan', account: id },
      ...{ before: { plan: account.plan }, after: { plan } },
    });
    return accounts.setPlan(id, plan);
  }
  const { status } = change;
  await log.add({
    ...{ actor, action: status === 'active' ? 'account.resume' : 'account.suspend', account: id },
    ...{ before: { status: account.status }, after: { status } },
  });
  return accounts.setStatus(id, status);
}
