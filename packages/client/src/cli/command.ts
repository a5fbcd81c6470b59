import type { Sigcast } from '../sigcast.ts';
import type { Option, Values } from './values.ts';

/** A command and its help. */
export type Command = {
  /** The name as typed, such as `signals list`. */
  readonly name: string;
  readonly summary: string;
  /** Required arguments, in this order. */
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** More lines for the help. */
  readonly details?: string;
  /** Names of options by the API's field names, where the two differ: for errors of the API. */
  readonly optionOf?: Readonly<Record<string, string>>;
  /** Advice for the error about one argument too many. */
  readonly tooMany?: string;
  /** @returns the exit status. Default: `done`. */
  run(context: Context): Promise<number | undefined> | Promise<void>;
};

/** The context of a command. */
export type Context = {
  readonly values: Values;
  /** Whether to print JSON. */
  readonly json: boolean;
  /** Prints an answer: as JSON in one line, or as `lines` for people. */
  show(answer: object, lines: () => readonly string[]): void;
  readonly io: Io;
  /** A client with the configured key and URL. @throws {CliError} naming what is missing. */
  connect(): Promise<Sigcast>;
};

/** Input and output of a command. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the answer. */
  readonly print: (line: string) => void;
  /** Writes a line of the answer. @returns false when the reader of the output is gone. */
  readonly printOrStop: (line: string) => Promise<boolean>;
  /** Writes a line to standard error. Secrets in it are hidden, except `secret` at its end. */
  readonly note: (line: string, secret?: string) => void;
  /** On a terminal, replaces the line that shows how far the command is; an empty text removes the line. */
  readonly progress: (text: string) => void;
  /** Reads a line. On a terminal it prompts and does not echo. */
  readonly readSecret: (question: string) => Promise<string>;
  /** From now on Ctrl-C, SIGTERM and a closed output stop the command instead of the process. */
  readonly catchInterrupts: () => Interrupts;
};

/** Requests to stop a command. */
export type Interrupts = {
  /** Aborts at the first request: finish what has begun. */
  readonly stop: AbortSignal;
  /** Aborts at the second request: finish nothing. */
  readonly stopNow: AbortSignal;
  /** The exit status for the request. */
  readonly exit: () => number;
};
