import { keepDoing, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { isInserted, storeCall } from './errors.ts';

/**
 * A change of stored documents that is done once, while services serve. The release before the migration's release writes
 * the new form already and reads both forms, so that the two releases can run side by side.
 */
export type Migration = {
  /** Never changes, as it identifies the migration in the store. */
  readonly name: string;
  /** What the migration does, for people. */
  readonly what: string;
  /** Whether `next` finds unchanged documents by a query, so that it can run again after the migration is done. */
  readonly findsLeftovers?: true;
  /**
   * Changes the next few documents, with ids greater than `after` where the migration goes through all documents. Several
   * processes may run the same step, and repeat it. @returns undefined once no document is left.
   */
  next(connection: Connection, after: string | undefined): Promise<MigrationStep | undefined>;
};

/** The result of one step of a migration. */
export type MigrationStep = {
  /** Number of changed documents. */
  readonly changed: number;
  /** All documents up to this id are done. */
  readonly after?: string;
  /** Pause before the next step, in milliseconds, where the rest can't be changed yet. */
  readonly waitMs?: number;
};

/** A document of the collection `migrations`. */
type MigrationRecord = {
  readonly _id: string;
  readonly started_at: Date;
  readonly changed: number;
  readonly after?: string;
  /** Absent until the migration is done. */
  readonly done_at?: Date;
  /** The version of the service that completed the migration. */
  readonly version?: string;
};

const migrationsCollection = 'migrations';

/** The pause between two steps, in milliseconds, so that the store has time for the service's requests. */
const pauseMs = 50;
/** The pause between two tries of a service, in milliseconds. */
const retryMs = 10_000;

/**
 * Runs the migrations that are not recorded as done, in order, and records their progress. An interrupted run goes on from
 * the recorded step. A migration that another process begins again meanwhile is left to that process.
 *
 * @param options.version of the service. `again`: runs migrations that are done as well, from the beginning. `leftovers`:
 * runs migrations that are done and can find unchanged documents. `stopping`: ends the run after a step.
 * @returns the records of all migrations. @throws as `storeCall` does.
 */
export async function runMigrations(
  connection: Connection,
  migrations: readonly Migration[],
  { version, again = false, leftovers = false, stopping }: RunOptions,
): Promise<readonly MigrationRecord[]> {
  const records = connection.collection<MigrationRecord>(migrationsCollection);
  const one = async ({ name, next, findsLeftovers }: Migration) => {
    if (again) await storeCall(() => records.deleteOne({ _id: name }));
    const begun = { _id: name, started_at: new Date(), changed: 0 };
    await isInserted(() => storeCall(() => records.insertOne(begun)));
    const at = await storeCall(() => records.findOne({ _id: name }));
    if (at === null || (at.done_at !== undefined && !(leftovers && findsLeftovers === true))) return;
    // Progress is recorded only for this beginning: after another process began again, this run's progress means nothing.
    const filter = { _id: name, started_at: at.started_at };
    let { after } = at;
    while (stopping?.aborted !== true) {
      const step = await storeCall(() => next(connection, after));
      if (step === undefined) {
        const ended = { $set: { done_at: new Date(), version } };
        await storeCall(() => records.updateOne({ ...filter, done_at: { $exists: false } }, ended));
        return;
      }
      after = step.after ?? after;
      // The greatest id wins: the process that recorded it has done all documents up to there.
      const done = { $inc: { changed: step.changed }, ...(after !== undefined && { $max: { after } }) };
      const { matchedCount } = await storeCall(() => records.updateOne(filter, done as object));
      if (matchedCount === 0) return;
      await pause(step.waitMs ?? pauseMs, stopping).catch(() => undefined);
    }
  };
  for (const migration of migrations) await one(migration);
  return readMigrations(connection);
}

type RunOptions = {
  readonly version: string;
  readonly again?: boolean;
  readonly leftovers?: boolean;
  readonly stopping?: AbortSignal;
};

/**
 * Runs the migrations that are not recorded as done in the background of a service, until they succeed. Several processes
 * may do so at once. Never throws.
 */
export function startMigrations(
  connection: Connection,
  migrations: readonly Migration[],
  {
    version,
    log,
    resources,
  }: { readonly version: string; readonly log: Logger; readonly resources: Resources },
): void {
  let logged: string | undefined;
  keepDoing(async (stopping) => {
    try {
      const before = notDone(migrations, await readMigrations(connection));
      if (before.length === 0) return undefined;
      const after = await runMigrations(connection, migrations, { version, stopping });
      const changed = after.filter((one) => before.includes(one._id) && one.changed > 0);
      if (changed.length > 0)
        log.info({ migrations: changed }, 'migrations: changed what earlier versions stored');
      if (notDone(migrations, after).length === 0) return undefined;
    } catch (err) {
      if (logged !== String(err)) log.warn({ err }, 'migrations: not done yet; tried again until they are');
      logged = String(err);
    }
    return retryMs;
  }, resources);
}

function notDone(migrations: readonly Migration[], records: readonly MigrationRecord[]): string[] {
  const done = records.filter(({ done_at }) => done_at !== undefined).map(({ _id }) => _id);
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}

/** The records of migrations, ordered by name. */
export function readMigrations(connection: Connection): Promise<readonly MigrationRecord[]> {
  return storeCall(() =>
    connection.collection<MigrationRecord>(migrationsCollection).find().sort({ _id: 1 }).toArray(),
  ) as Promise<readonly MigrationRecord[]>;
}
