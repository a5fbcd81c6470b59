import { type Commands, indexesCommand, type Output, runCommand } from '@sigcast/operator';
import type { Environment } from '@sigcast/runtime';
import { readStoreConfig } from '../config.ts';
import { signalsServiceIndexes } from '../store/indexes.ts';
import { queuesCommands } from './queues-commands.ts';

const commands: Commands<object> = {
  queues: queuesCommands,
  indexes: indexesCommand(signalsServiceIndexes, readStoreConfig),
};

/** Runs one of the signals' operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, () => ({}), output);
}
