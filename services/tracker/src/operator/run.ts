import { eventTopology } from '@sigcast/contracts';
import {
  type Commands,
  indexesCommand,
  migrateCommand,
  type Output,
  parkedCommands,
  runCommand,
} from '@sigcast/operator';
import { type Environment, serviceVersion } from '@sigcast/runtime';
import { readBrokerConfig, readStoreConfig } from '../config.ts';
import { trackerIndexes } from '../store/indexes.ts';

const commands: Commands<object> = {
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => [eventTopology(namespace).tracker],
  }),
  indexes: indexesCommand(trackerIndexes, readStoreConfig),
  migrate: migrateCommand({
    migrations: [],
    indexes: {},
    version: serviceVersion(new URL('../../package.json', import.meta.url)),
    readStore: readStoreConfig,
  }),
};

/** Runs one of the tracker's operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, () => ({}), output);
}
