import { type Commands, indexesCommand, migrateCommand, type Output, runCommand } from '@sigcast/operator';
import { type Environment, serviceVersion } from '@sigcast/runtime';
import { readStoreConfig } from '../config.ts';
import { signalsServiceIndexes } from '../store/indexes.ts';
import { signalsMigrations } from '../store/migrations.ts';
import { queuesCommands } from './queues-commands.ts';
import { tokensCommands } from './tokens-commands.ts';

const commands: Commands<object> = {
  queues: queuesCommands,
  tokens: tokensCommands,
  indexes: indexesCommand(signalsServiceIndexes, readStoreConfig),
  migrate: migrateCommand({
    migrations: signalsMigrations,
    indexes: signalsServiceIndexes,
    version: serviceVersion(new URL('../../package.json', import.meta.url)),
    readStore: readStoreConfig,
  }),
};

/** Runs one of the signals' operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, () => ({}), output);
}
