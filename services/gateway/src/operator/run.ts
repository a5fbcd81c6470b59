import { webhookTopology } from '@sigcast/contracts';
import { type Commands, type Output, parkedCommands, runCommand, storeCommands } from '@sigcast/operator';
import type { Environment } from '@sigcast/runtime';
import { readBrokerConfig, readDatabaseConfig } from '../config.ts';
import { gatewayIndexes } from '../store/models.ts';
import { accountCommands } from './account-commands.ts';
import { accountReadsCommands } from './account-reads-commands.ts';
import type { StoreOpener } from './command.ts';
import { factorsCommands } from './factors-commands.ts';
import { keyCommands } from './key-commands.ts';
import { keypairCommands } from './keypair-commands.ts';
import { operatorsCommands } from './operators-commands.ts';
import { planCommands } from './plan-commands.ts';
import { requestCommands } from './request-commands.ts';
import { secretsCommands } from './secrets-commands.ts';
import { openStore } from './store.ts';
import { tokenCommands } from './token-commands.ts';

const commands: Commands<StoreOpener> = {
  account: { ...accountReadsCommands, ...accountCommands },
  factors: factorsCommands,
  operators: operatorsCommands,
  plan: planCommands,
  request: requestCommands,
  key: keyCommands,
  token: tokenCommands,
  keys: keypairCommands,
  secrets: secretsCommands,
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => [webhookTopology(namespace).gateway],
  }),
  ...storeCommands({ indexes: gatewayIndexes, readStore: readDatabaseConfig, source: import.meta.url }),
};

/** Runs one of the gateway's operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(argv: readonly string[], env: Environment, output: Output): Promise<number> {
  return runCommand(
    commands,
    { argv, env },
    ({ log, resources }) => ({ openStore: () => openStore(env, log, resources) }),
    output,
  );
}
