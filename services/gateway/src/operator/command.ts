import type { Environment, Logger, Resources } from '@sigcast/runtime';
import type { MongoAccounts } from '../store/accounts.ts';

/** The accounts and plans a command works on, and how its changes reach the gateways. */
export type Store = {
  readonly accounts: MongoAccounts;
  /**
   * Hands a change on to the gateways now. False when Redis does not answer: then gateways take it up themselves as
   * soon as they reach Redis, and those that can't reach it see it in MongoDB.
   */
  announceKey(key: { account: string; sha256: string }): Promise<boolean>;
  announceAccount(id: string): Promise<boolean>;
};

/** What a command has at hand. */
export type CommandContext = {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly log: Logger;
  readonly resources: Resources;
  /** Opens the stores when a command needs them. */
  readonly openStore: () => Promise<Store>;
};

/** What a command has to say: `data` for programs, `text` for people, `note` on standard error. */
export type CommandResult = { readonly data: object; readonly text: string; readonly note?: string };

export type Command = {
  /** How it is called, after the program's name. */
  readonly usage: string;
  readonly run: (context: CommandContext) => Promise<CommandResult>;
};

/** A command that can't do what it was asked for; `code` tells programs why. Exit status 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A command that was called wrongly. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Said beside a change that the gateways have not been told of yet. */
export const notAnnounced =
  'Redis did not answer: gateways that reach it again take the change up by themselves';
