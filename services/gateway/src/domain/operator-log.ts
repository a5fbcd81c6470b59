import { type OperatorAction, type OperatorChange, SigcastError } from '@sigcast/contracts';
import type { Account } from './accounts.ts';

/** Who acts: an operator in the dashboard, or the user who ran a command. */
export type Actor =
  | { readonly via: 'dashboard'; readonly account: string }
  | { readonly via: 'command'; readonly user: string };

/** Values before or after an action, by name. Never an e-mail address or a secret. */
export type LoggedValues = Readonly<Record<string, string | number | boolean>>;

/** One action of an operator. */
export type LogEntry = {
  readonly actor: Actor;
  readonly action: OperatorAction;
  /** The account's id; null where the action is about none. */
  readonly account: string | null;
  readonly before: LoggedValues;
  readonly after: LoggedValues;
};

/** A stored entry. */
export type StoredLogEntry = LogEntry & { readonly id: string; readonly at: Date };

/** What operators did. Entries are added and never changed. */
export type OperatorLog = {
  /** @throws {SigcastError} SERVICE_UNAVAILABLE when the entry is not stored: then the action must not be done. */
  add(entry: LogEntry): Promise<void>;
  /** Newest first, older than the entry `after`. */
  list(which: {
    readonly account?: string | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<StoredLogEntry[]>;
};

/** A change of an account by an operator. */
export type AccountChange = OperatorChange | { readonly operator: boolean };

/**
 * The accounts that operators change. A change is made only while the present value is `from`. All return undefined when
 * there is no such account, or its value is not `from`.
 */
export type ChangeableAccounts = {
  find(id: string): Promise<Account | undefined>;
  setStatus(id: string, status: Account['status'], from: Account['status']): Promise<Account | undefined>;
  setPlan(id: string, plan: string, from: string): Promise<Account | undefined>;
  setOperator(id: string, operator: boolean, from: boolean): Promise<Account | undefined>;
};

/**
 * Logs an operator's action, then does it. So every action has an entry. An entry alone does not prove that the action
 * succeeded.
 * @throws {SigcastError} SERVICE_UNAVAILABLE when the entry can't be stored: then `work` is not called.
 */
export async function logged<T>(log: OperatorLog, entry: LogEntry, work: () => Promise<T>): Promise<T> {
  await log.add(entry);
  return work();
}

/**
 * Changes an account for an operator. A change to the present value does nothing and is not logged.
 * @param order.account the account as it was read. The change is made only while the account still has the logged value.
 * @returns undefined when there is no such account any more.
 * @throws {SigcastError} CONFLICT when somebody else has changed the same value since `account` was read.
 */
export async function changeAccount(
  { accounts, log }: { readonly accounts: ChangeableAccounts; readonly log: OperatorLog },
  { actor, account, change }: { actor: Actor; account: Account; change: AccountChange },
): Promise<Account | undefined> {
  const { id } = account;
  const { action, before, isUnchanged, apply } = orderFor(accounts, account, change);
  if (isUnchanged) return account;
  const changed = await logged(log, { actor, action, account: id, before, after: change }, apply);
  if (changed === undefined && (await accounts.find(id)) !== undefined) {
    throw new SigcastError('CONFLICT', 'Somebody else has just changed this account; look at it again');
  }
  return changed;
}

type Order = Pick<LogEntry, 'action' | 'before'> & {
  /** Whether the account already has the new value. */
  readonly isUnchanged: boolean;
  readonly apply: () => Promise<Account | undefined>;
};

function orderFor(
  accounts: ChangeableAccounts,
  { id, plan, status, operator }: Account,
  to: AccountChange,
): Order {
  if ('plan' in to) {
    const apply = () => accounts.setPlan(id, to.plan, plan);
    return { action: 'account.plan', before: { plan }, isUnchanged: to.plan === plan, apply };
  }
  if ('status' in to) {
    const action = to.status === 'active' ? 'account.resume' : 'account.suspend';
    const apply = () => accounts.setStatus(id, to.status, status);
    return { action, before: { status }, isUnchanged: to.status === status, apply };
  }
  const action = to.operator ? 'operators.add' : 'operators.remove';
  const apply = () => accounts.setOperator(id, to.operator, operator);
  return { action, before: { operator }, isUnchanged: to.operator === operator, apply };
}
