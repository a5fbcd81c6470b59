import { randomUUID } from 'node:crypto';
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
import { readBackfillConfig, readBrokerConfig, readStoreConfig } from '../config.ts';
import { trackerIndexes } from '../store/indexes.ts';
import { mongoRevisions } from '../store/mongo-revisions.ts';
import { mongoLogStore, mongoPublicLog, mongoWaitingEntries } from '../store/mongo-tlog.ts';
import { backfillCommand } from './backfill-command.ts';
import type { TrackerContext } from './command.ts';
import { logCommands } from './log-commands.ts';
import { signalsApi } from './signals-api.ts';

const commands: Commands<TrackerContext> = {
  backfill: backfillCommand,
  log: logCommands,
  parked: parkedCommands({
    readBroker: readBrokerConfig,
    queuesOf: (namespace) => [eventTopology(namespace).tracker],
  }),
  ...storeCommands({ indexes: trackerIndexes, readStore: readStoreConfig, source: import.meta.url }),
};

/** Runs one of the tracker's operator commands; see `runCommand`. @returns the exit status. */
export function runOperator(
  argv: readonly string[],
  env: Environment,
  { progress, ...output }: Output & { readonly progress: ProgressStream },
): Promise<number> {
  return runCommand(commands, { argv, env }, (base) => trackerContext(base, progress), output);
}

function trackerContext({ env, log, resources }: BaseContext, stream: ProgressStream): TrackerContext {
  return {
    withLog: async (task) => {
      const connection = await connectStore(readStoreConfig(env), { log, resources });
      return task({
        log: mongoPublicLog(connection),
        store: mongoLogStore(connection, randomUUID()),
        waiting: mongoWaitingEntries(connection),
      });
    },
    work: async (task) => {
      const config = readBackfillConfig(env);
      const connection = await connectStore(config, { log, resources });
      await startIndexes(connection, trackerIndexes, log, resources);
      const hasLog = (await mongoPublicLog(connection).checkpoint()) !== undefined;
      const progress = startProgress({ stream, unit: 'signals', nowMs: () => performance.now() });
      try {
        return await task({
          source: signalsApi({ url: config.SIGNALS_URL, token: config.SIGNALS_TOKEN }),
          revisions: mongoRevisions(connection),
          waiting: hasLog ? mongoWaitingEntries(connection) : undefined,
          advance: (signals) => progress.advance(signals),
        });
      } finally {
        progress.end();
      }
    },
  };
}
