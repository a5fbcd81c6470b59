import type { Environment, Logger, Resources } from '@sigcast/runtime';

/** The context of every command. Its service adds to it with `C` of {@link Command}. */
export type BaseContext = {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly log: Logger;
  readonly resources: Resources;
};

/** A command's result: `data` for programs, `text` for people, `note` for standard error. */
export type CommandResult = {
  readonly data: object;
  readonly text: string;
  readonly note?: string;
  /** The exit status; 0 unless given. */
  readonly status?: number;
};

/** A command of a service's operator program. */
export type Command<C = unknown> = {
  /** The command line after the program's name: placeholders in capitals, optional parts in brackets. */
  readonly usage: string;
  /** What the command does, in whole sentences. */
  readonly summary: string;
  readonly run: (context: BaseContext & C) => Promise<CommandResult>;
};

/** A program's commands by name, or by group and name. */
export type Commands<C> = Readonly<Record<string, Command<C> | CommandGroup<C>>>;

type CommandGroup<C> = Readonly<Record<string, Command<C>>>;

/** Thrown when a command can't be done; `code` tells programs why. Exit status 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown when a command is called wrongly. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
