import { openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { startIndexes } from '@sigcast/mongo';
import {
  type BaseContext,
  type Commands,
  connectStore,
  type Output,
  parkedCommands,
  runCommand,
  storeCommands,
} from '@sigcast/operator';
import { type Environment, type ProgressStream, startProgress } from '@sigcast/runtime';
import { operatorConfig, readBrokerConfig, readStoreConfig } from '../config.ts';
import { factAggregates, factIndexes, factsCollection } from '../store/fact-document.ts';
import { mongoFacts } from '../store/mongo-facts.ts';
import { mongoLedger } from '../store/mongo-ledger.ts';
import { aggregateStatistics } from '../store/mongo-statistics.ts';
import type { StatsContext } from './command.ts';
import { rebuildCommand } from './rebuild-command.ts';
import { signalsApi } from './signals-api.ts';
import { verifyCommand } from './verify-command.ts';

const commands: Commands<StatsContext> = {
  rebuild: rebuildCommand,
  verify: verifyCommand,
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => [eventTopology(namespace).stats],
  }),
  ...storeCommands({
    indexes: { [factsCollection]: factIndexes },
    readStore: readStoreConfig,
    source: import.meta.url,
  }),
};

/**
 * Runs one of the stats service's operator commands; see `runCommand`.
 *
 * @returns the exit status: 0 done and equal; 1 different, or not done; 2 called wrongly; 3 figures changed too often to
 * be compared.
 */
export function runOperator(
  argv: readonly string[],
  env: Environment,
  { progress, ...output }: Output & { readonly progress: ProgressStream },
): Promise<number> {
  return runCommand(commands, { argv, env }, (base) => statsContext(base, progress), output);
}

function statsContext({ env, log, resources }: BaseContext, stream: ProgressStream): StatsContext {
  return {
    work: async (task) => {
      const config = operatorConfig(env);
      const connection = await connectStore(config, { log, resources });
      await startIndexes(connection, { [factsCollection]: factIndexes }, log, resources);
      const aggregates = openAggregates(connection, factAggregates);
      const progress = startProgress({ stream, unit: 'signals', nowMs: () => performance.now() });
      try {
        return await task({
          source: signalsApi({ url: config.SIGNALS_URL, token: config.SIGNALS_TOKEN }),
          ledger: mongoLedger(connection),
          facts: mongoFacts(connection, aggregates),
          store: aggregateStatistics(aggregates, { fresh: true }),
          recount: () => aggregates.rebuild(),
          advance: (signals) => progress.advance(signals),
        });
      } finally {
        progress.end();
      }
    },
  };
}
