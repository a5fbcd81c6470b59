import { type Commands, type Output, runCommand, storeCommands } from '@sigcast/operator';
import type { Environment } from '@sigcast/runtime';
import { readStoreConfig } from '../config.ts';
import { signalsServiceIndexes } from '../store/indexes.ts';
import { signalsMigrations } from '../store/migrations.ts';
import { queuesCommands } from './queues-commands.ts';
import { tokensCommands } from './tokens-commands.ts';

const commands: Commands<object> = {
  queues: queuesCommands,
  tokens: tokensCommands,
  ...storeCommands({
    indexes: signalsServiceIndexes,
    migrations: signalsMigrations,
    readStore: readStoreConfig,
    source: import.meta.url,
  }),
};

/** Runs one of the signals' operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, () => ({}), output);
}
