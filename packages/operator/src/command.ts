import type { Environment, Logger, Resources } from '@sigcast/runtime';

/** What any command has at hand; what its service adds to that comes with `C` of {@link Command}. */
export type BaseContext = {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly log: Logger;
  readonly resources: Resources;
};

/** What a command has to say: `data` for programs, `text` for people, `note` on standard error. */
export type CommandResult = {
  readonly data: object;
  readonly text: string;
  readonly note?: string;
  /** The exit status, for a command whose finding is one; 0 unless given. */
  readonly status?: number;
};

/** A command of a service's operator program. */
export type Command<C = unknown> = {
  /** How it is called, after the program's name: placeholders in capitals, what may be left out in brackets. */
  readonly usage: string;
  /** What it does, in whole sentences. */
  readonly summary: string;
  readonly run: (context: BaseContext & C) => Promise<CommandResult>;
};

/** A program's commands by name, or by group and name. */
export type Commands<C> = Readonly<Record<string, Command<C> | CommandGroup<C>>>;

type CommandGroup<C> = Readonly<Record<string, Command<C>>>;

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
