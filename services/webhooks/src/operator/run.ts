import { accountTopology, eventTopology, webhookTopology } from '@sigcast/contracts';
import {
  type BaseContext,
  type Commands,
  connectStore,
  type Output,
  parkedCommands,
  runCommand,
  storeCommands,
} from '@sigcast/operator';
import type { Environment } from '@sigcast/runtime';
import { readBrokerConfig, readStoreConfig } from '../config.ts';
import { ensureWebhookIndexes, webhookIndexes } from '../store/ensure-indexes.ts';
import { models } from '../store/models.ts';
import type { Openers } from './command.ts';
import { deliveryCommands } from './delivery-commands.ts';
import { requeueCommands } from './requeue-commands.ts';
import { secretsCommands } from './secrets-commands.ts';

const commands: Commands<Openers> = {
  deliveries: deliveryCommands,
  requeue: requeueCommands,
  secrets: secretsCommands,
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => {
      const { fanout, bulkFanout } = eventTopology(namespace);
      return [fanout, bulkFanout, accountTopology(namespace).webhooks, webhookTopology(namespace).gateway];
    },
  }),
  ...storeCommands({ indexes: webhookIndexes, readStore: readStoreConfig, source: import.meta.url }),
};

/** Runs one of the webhooks' operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(commands, { argv, env }, openers, output);
}

function openers({ env, log, resources }: BaseContext): Openers {
  return {
    openStore: async () => {
      const connection = await connectStore(readStoreConfig(env), { log, resources });
      await ensureWebhookIndexes(connection, log, resources);
      return models(connection);
    },
  };
}
