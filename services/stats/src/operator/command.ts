import type { CommandResult, Command as OperatorCommand } from '@sigcast/operator';
import type { FactLedger, SignalSource } from '../domain/fact-ledger.ts';
import type { FactStore, StatisticsStore } from '../domain/ports.ts';

/** What a command about facts needs. */
export type CommandDeps = {
  readonly source: SignalSource;
  readonly ledger: FactLedger;
  readonly facts: FactStore;
  readonly store: StatisticsStore;
  readonly recount: () => Promise<void>;
  /** Called with the number of signals done since the last call. */
  readonly advance: (signals: number) => void;
};

/** What the stats service adds to the context of its commands. */
export type StatsContext = {
  /** Connects to the store and runs `task`, showing progress. @throws {ConfigError} */
  readonly work: (task: (deps: CommandDeps) => Promise<CommandResult>) => Promise<CommandResult>;
};

export type Command = OperatorCommand<StatsContext>;
