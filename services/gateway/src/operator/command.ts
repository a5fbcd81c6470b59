import { userInfo } from 'node:os';
import type { BaseContext, Command as OperatorCommand } from '@sigcast/operator';
import { type LogEntry, logged, type OperatorLog } from '../domain/operator-log.ts';
import type { OperatorReads } from '../domain/operator-reads.ts';
import type { Passkeys } from '../domain/passkeys.ts';
import type { Sessions } from '../domain/sessions.ts';
import type { MongoAccounts } from '../store/accounts.ts';
import type { MongoApiKeys } from '../store/api-keys.ts';
import type { Models } from '../store/models.ts';
import type { FactorSwitch } from '../store/second-factors.ts';

/** The accounts, keys, plans and log that a command works on, and the propagation of its changes to the gateways. */
export type Store = {
  readonly accounts: MongoAccounts;
  readonly keys: MongoApiKeys;
  readonly reads: OperatorReads;
  readonly log: OperatorLog;
  readonly secondFactors: FactorSwitch;
  readonly passkeys: Pick<Passkeys, 'removeAll'>;
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly models: Models;
  /**
   * Propagates a change of an account or its keys to the gateways now. False when Redis does not answer. Then a gateway propagates the change as soon
   * as it reaches Redis; gateways without Redis read MongoDB.
   */
  propagate(account: string): Promise<boolean>;
};

/** What the gateway adds to the context of an operator command. */
export type StoreOpener = {
  /** Connects to the stores. */
  readonly openStore: () => Promise<Store>;
};

/** The context of the gateway's commands. */
export type CommandContext = BaseContext & StoreOpener;
export type Command = OperatorCommand<StoreOpener>;

/** The note to a change that is not propagated yet. */
export const notPropagated =
  'Redis did not answer: a gateway propagates the change as soon as it reaches Redis again';

/** Who runs a command, for the log of operators. */
export function commandActor(): LogEntry['actor'] {
  try {
    return { via: 'command', user: userInfo().username };
  } catch {
    // In a container the user may have a number and no name.
    return { via: 'command', user: `uid ${process.getuid?.() ?? '?'}` };
  }
}

/** Logs a command's action, then does it: see {@link logged}. */
export function loggedCommand<T>(
  { log }: Store,
  entry: Omit<LogEntry, 'actor'>,
  work: () => Promise<T>,
): Promise<T> {
  return logged(log, { actor: commandActor(), ...entry }, work);
}
