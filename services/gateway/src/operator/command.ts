import { userInfo } from 'node:os';
import type { BaseContext, Command as OperatorCommand } from '@sigcast/operator';
import { type LogEntry, logged, type OperatorLog } from '../domain/operator-log.ts';
import type { OperatorReads } from '../domain/operator-reads.ts';
import type { MongoAccounts } from '../store/accounts.ts';

/** The accounts and plans a command works on, and how its changes reach the gateways. */
export type Store = {
  readonly accounts: MongoAccounts;
  readonly reads: OperatorReads;
  readonly log: OperatorLog;
  /**
   * Hands a change on to the gateways now. False when Redis does not answer: then gateways take it up themselves as
   * soon as they reach Redis, and those that can't reach it see it in MongoDB.
   */
  propagateKey(key: { account: string; sha256: string }): Promise<boolean>;
  propagateAccount(id: string): Promise<boolean>;
};

/** What the gateway adds to what any command has at hand. */
export type StoreOpener = {
  /** Opens the stores when a command needs them. */
  readonly openStore: () => Promise<Store>;
};

/** What the gateway's commands have at hand. */
export type CommandContext = BaseContext & StoreOpener;
export type Command = OperatorCommand<StoreOpener>;

/** Said beside a change that the gateways have not been told of yet. */
export const notPropagated =
  'Redis did not answer: gateways that reach it again take the change up by themselves';

/** Who runs a command, for the log of operators. */
export function commandActor(): LogEntry['actor'] {
  try {
    return { via: 'command', user: userInfo().username };
  } catch {
    // In a container the user may have a number and no name.
    return { via: 'command', user: `uid ${process.getuid?.() ?? '?'}` };
  }
}

/** Does what a command is for, after the log of operators has it: see {@link logged}. */
export function loggedCommand<T>(
  { log }: Store,
  entry: Omit<LogEntry, 'actor'>,
  work: () => Promise<T>,
): Promise<T> {
  return logged(log, { actor: commandActor(), ...entry }, work);
}
