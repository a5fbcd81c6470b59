import type { CommandResult, Command as OperatorCommand } from '@sigcast/operator';
import type { FactLedger, SignalSource } from '../domain/fact-ledger.ts';
import type { FactStore, StatisticsStore } from '../domain/ports.ts';

/** What a command works on. */
export type CommandDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly facts: FactStore;
  readonly store: StatisticsStore;
  readonly recount: () => Promise<void>;
  /** Told of signals that are done. */
  readonly advance: (signals: number) => void;
};

/** What the commands of statistics have at hand besides what any command has. */
export type Workplace = {
  /** Connects to the store, and shows progress while the work is done. @throws {ConfigError} */
  readonly work: (task: (deps: CommandDeps) => Promise<CommandResult>) => Promise<CommandResult>;
};

export type Command = OperatorCommand<Workplace>;
