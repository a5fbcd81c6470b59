import { accountTopology, eventTopology } from '@sigcast/contracts';
import { connectMongo, mongoFrom, noTimeLimit } from '@sigcast/mongo';
import {
  type BaseContext,
  type Commands,
  indexesCommand,
  migrateCommand,
  type Output,
  parkedCommands,
  runCommand,
} from '@sigcast/operator';
import { type Environment, serviceVersion } from '@sigcast/runtime';
import { readBrokerConfig, readStoreConfig } from '../config.ts';
import { ensureWebhookIndexes, webhookIndexes } from '../store/ensure-indexes.ts';
import { models } from '../store/models.ts';
import type { Openers } from './command.ts';
import { deliveryCommands } from './delivery-commands.ts';
import { requeueCommands } from './requeue-commands.ts';

const commands: Commands<Openers> = {
  deliveries: deliveryCommands,
  requeue: requeueCommands,
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => {
      const { fanout, bulkFanout } = eventTopology(namespace);
      return [fanout, bulkFanout, accountTopology(namespace).webhooks];
    },
  }),
  indexes: indexesCommand(webhookIndexes, readStoreConfig),
  migrate: migrateCommand({
    migrations: [],
    indexes: webhookIndexes,
    version: serviceVersion(new URL('../../package.json', import.meta.url)),
    readStore: readStoreConfig,
  }),
};

/** Runs one of the webhooks' operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, openers, output);
}

function openers({ env, log, resources }: BaseContext): Openers {
  return {
    openStore: async () => {
      const connection = await connectMongo(
        { ...mongoFrom(readStoreConfig(env)), queryTimeMs: noTimeLimit },
        log,
        resources,
      );
      await ensureWebhookIndexes(connection, log, resources);
      return models(connection);
    },
  };
}
