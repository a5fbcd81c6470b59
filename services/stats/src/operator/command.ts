import type { CommandResult, Command as OperatorCommand } from '@sigcast/operator';
import type { StatisticsStore } from '../domain/ports.ts';
import type { RebuildDeps } from '../domain/rebuild.ts';

/** What the commands about facts need. */
export type CommandDeps = RebuildDeps & {
  readonly store: StatisticsStore;
};

/** What the stats service adds to the context of its commands. */
export type StatsContext = {
  /** Connects to the store and runs `task`, showing progress. @throws {ConfigError} */
  readonly work: (task: (deps: CommandDeps) => Promise<CommandResult>) => Promise<CommandResult>;
};

export type Command = OperatorCommand<StatsContext>;
