import type { FactLedger, SignalSource } from '../domain/fact-ledger.ts';
import type { FactStore, StatisticsStore } from '../domain/ports.ts';

/** What a command works on. */
export type CommandDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly facts: FactStore;
  readonly store: StatisticsStore;
  /** Told of signals that are done. */
  readonly advance: (signals: number) => void;
};

/** What a command has to say: `data` for programs, `text` for people; and its exit status. */
export type CommandResult = { readonly data: object; readonly text: string; readonly status: 0 | 1 | 3 };

export type Command = (deps: CommandDeps) => Promise<CommandResult>;

/** A command that can't do what it was asked for; `code` tells programs why. Exit status 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
