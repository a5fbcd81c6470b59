import type { CommandResult, Command as OperatorCommand } from '@sigcast/operator';
import type { BackfillDeps } from '../domain/backfill.ts';
import type { LogStore, PublicLog, WaitingEntries } from '../domain/tlog/ports.ts';

/** What the tracker adds to the context of its commands. */
export type TrackerContext = {
  /** Connects to the store and runs `task` with the public log. @throws {ConfigError} */
  readonly withLog: (
    task: (deps: {
      readonly log: PublicLog;
      readonly store: LogStore;
      readonly waiting: WaitingEntries;
    }) => Promise<CommandResult>,
  ) => Promise<CommandResult>;
  /** Connects to the store and runs `task`, showing progress. @throws {ConfigError} */
  readonly work: (task: (deps: BackfillDeps) => Promise<CommandResult>) => Promise<CommandResult>;
};

export type Command = OperatorCommand<TrackerContext>;
