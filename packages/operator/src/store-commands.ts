import { connectMongo, type IndexPlan, type Migration, mongoFrom, noTimeLimit } from '@sigcast/mongo';
import { type Environment, serviceVersion } from '@sigcast/runtime';
import type { BaseContext } from './command.ts';
import { indexesCommand } from './indexes-command.ts';
import { migrateCommand } from './migrate-command.ts';

type StoreSettings = Parameters<typeof mongoFrom>[0];

/**
 * The commands of every service that has a store: `indexes` and `migrate`.
 *
 * @param store `source`: the URL of a file in the service's `src/operator`. `readStore` throws a `ConfigError`.
 */
export function storeCommands(store: {
  readonly indexes: IndexPlan;
  readonly migrations?: readonly Migration[];
  readonly readStore: (env: Environment) => StoreSettings;
  readonly source: string;
}) {
  const { indexes, migrations = [], readStore } = store;
  const version = serviceVersion(new URL('../../package.json', store.source));
  return {
    indexes: indexesCommand(indexes, readStore),
    migrate: migrateCommand({
      migrations,
      indexes: migrations.length > 0 ? indexes : {},
      version,
      readStore,
    }),
  };
}

/** Connects a command to its service's store, where it may read everything. @throws when MongoDB does not answer. */
export function connectStore(
  settings: StoreSettings,
  { log, resources }: Pick<BaseContext, 'log' | 'resources'>,
) {
  return connectMongo({ ...mongoFrom(settings), queryTimeMs: noTimeLimit }, log, resources);
}
