import { connectMongo, ensureIndexes, type IndexPlan, mongoFrom, noTimeLimit } from '@sigcast/mongo';
import type { Environment } from '@sigcast/runtime';
import type { Command } from './command.ts';
import { readOptions } from './options.ts';

/**
 * The command `indexes`: creates a service's missing indexes and ends when all of them are built. A deployment can run it
 * before a new version starts. It fails when the store does not answer, or has an index of the same name with another
 * definition.
 *
 * @param readStore where the service's data is. @throws {ConfigError} naming every setting that is wrong.
 */
export function indexesCommand(
  plan: IndexPlan,
  readStore: (env: Environment) => Parameters<typeof mongoFrom>[0],
): Command {
  return {
    usage: 'indexes',
    summary: 'Makes the indexes that are missing, and waits until they are built. It may be repeated.',
    run: async ({ args, env, log, resources }) => {
      readOptions(args, { shape: {} });
      const store = mongoFrom(readStore(env));
      const { database } = store;
      const connection = await connectMongo({ ...store, queryTimeMs: noTimeLimit }, log, resources);
      const built: Record<string, string[]> = {};
      for (const [collection, indexes] of Object.entries(plan)) {
        built[collection] = await ensureIndexes(connection, collection, indexes);
      }
      const lines = Object.entries(built).map(([collection, names]) => `${collection}: ${names.join(', ')}`);
      return { data: { database, indexes: built }, text: [database, ...lines].join('\n') };
    },
  };
}
