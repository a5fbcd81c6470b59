import {
  connectMongo,
  ensureIndexes,
  type IndexPlan,
  type Migration,
  mongoFrom,
  noTimeLimit,
  readMigrations,
  runMigrations,
} from '@sigcast/mongo';
import type { Environment } from '@sigcast/runtime';
import { z } from 'zod';
import type { Command } from './command.ts';
import { readOptions } from './options.ts';

/** A service's migrations, and where its data is. */
type MigrateOptions = {
  readonly migrations: readonly Migration[];
  /** The indexes that the migrations need. Missing ones are created first. */
  readonly indexes: IndexPlan;
  /** The service's version, which is recorded with each migration. */
  readonly version: string;
  /** @throws {ConfigError} naming every setting that is wrong. */
  readonly readStore: (env: Environment) => Parameters<typeof mongoFrom>[0];
};

/**
 * The command `migrate`: runs each migration once, while the service and the version before it serve. The service does the
 * same in the background when it starts. The command also changes documents that the version before wrote after a
 * migration was done, where the migration can find them. With `--list` it only shows which migrations are done.
 */
export function migrateCommand({ migrations, indexes, version, readStore }: MigrateOptions): Command {
  return {
    usage: 'migrate [--list] [--again]',
    summary:
      'Changes what earlier versions stored, each migration once. --list only says which are done. --again repeats all of them.',
    run: async ({ args, env, log, resources }) => {
      const flag = z.boolean().default(false);
      const { list, again } = readOptions(args, {
        flags: ['list', 'again'],
        shape: { list: flag, again: flag },
      });
      const store = mongoFrom(readStore(env));
      const connection = await connectMongo({ ...store, queryTimeMs: noTimeLimit }, log, resources);
      const run = async () => {
        for (const [collection, specs] of Object.entries(indexes)) {
          await ensureIndexes(connection, collection, specs);
        }
        return runMigrations(connection, migrations, { version, again, leftovers: true });
      };
      const records = list ? await readMigrations(connection) : await run();
      const found = migrations.map(({ name, what }) => {
        const record = records.find(({ _id }) => _id === name);
        return {
          name,
          what,
          changed: record?.changed ?? 0,
          done_at: record?.done_at?.toISOString() ?? null,
          version: record?.version ?? null,
        };
      });
      const lines = found.map(
        ({ name, what, changed, done_at, version: by }) =>
          `${name}  ${done_at === null ? 'not done' : `done ${done_at} by ${by}`}, ${changed} changed: ${what}`,
      );
      const text = lines.length === 0 ? 'this version has nothing to migrate' : lines.join('\n');
      return { data: { database: store.database, migrations: found }, text };
    },
  };
}
