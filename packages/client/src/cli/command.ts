import type { Sigcast } from '../sigcast.ts';
import type { Option, Values } from './values.ts';

/** One command, and everything its help says. */
export type Command = {
  /** As it is typed, such as `signals list`. */
  readonly name: string;
  readonly summary: string;
  /** What must follow the name, in this order. */
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** More lines for the help. */
  readonly details?: string;
  /** The option for a field that the API names in a refusal, where the two have different names. */
  readonly optionOf?: Readonly<Record<string, string>>;
  /** What to do in place of giving one argument too many. */
  readonly tooMany?: string;
  /** @returns the exit status; done where there is none. */
  run(context: Context): Promise<number | undefined> | Promise<void>;
};

/** What a command has at hand. */
export type Context = {
  readonly values: Values;
  /** Whether the answer is to be JSON. */
  readonly json: boolean;
  readonly io: Io;
  /** The API, with the key and the address that were set. @throws {CliError} naming what is missing. */
  connect(): Promise<Sigcast>;
};

/** Where a command reads and writes. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the answer. */
  readonly print: (line: string) => void;
  /** Writes a line of the answer. @returns whether it was written, and not refused because its reader is gone. */
  readonly printOrStop: (line: string) => Promise<boolean>;
  /** Writes a line that is not part of the answer. Only `secret`, at its end, is shown as a secret. */
  readonly note: (line: string, secret?: string) => void;
  /** Reads a line; on a terminal it asks for it, and shows nothing of what is typed. */
  readonly readSecret: (question: string) => Promise<string>;
  /** From now on Ctrl-C, SIGTERM and a reader of the answer that goes away end the command and not the process. */
  readonly catchInterrupts: () => Interrupts;
};

/** How whoever runs a command asks it to stop. */
export type Interrupts = {
  /** Asked once: finish what was begun. */
  readonly stop: AbortSignal;
  /** Asked twice: finish nothing. */
  readonly stopNow: AbortSignal;
  /** The exit status for what came. */
  readonly exit: () => number;
};
