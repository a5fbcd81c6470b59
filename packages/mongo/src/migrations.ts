import { keepDoing, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { Connection } from 'mongoose';
import { isDuplicateKey, storeCall } from './errors.ts';

/**
 * A change of documents that were stored before, done once while services serve. The release before the one that has it
 * writes the new form already and reads both, so that nothing is left behind by processes of either.
 */
export type Migration = {
  /** Its name for ever. */
  readonly name: string;
  /** What it does, for people. */
  readonly what: string;
  /** Whether `next` finds what is left without going through all, so that it can be asked again after it was done. */
  readonly findsLeftovers?: true;
  /**
   * Changes the next few documents, behind those up to `after` where it goes through all by their ids. Several may do that at
   * once, and again. @returns undefined once there is none left; where none could be changed yet, it is asked again.
   */
  next(connection: Connection, after: string | undefined): Promise<MigrationStep | undefined>;
};

export type MigrationStep = {
  /** Documents that were changed. */
  readonly changed: number;
  /** Everything up to this id is done. */
  readonly after?: string;
  /** Before the next step, in milliseconds, where what is left can't be changed yet. */
  readonly waitMs?: number;
};

/** What the collection `migrations` says of one. */
export type MigrationRecord = {
  readonly _id: string;
  readonly started_at: Date;
  readonly changed: number;
  readonly after?: string;
  /** Absent until it is done. */
  readonly done_at?: Date;
  /** The version of the service that did it. */
  readonly version?: string;
};

export const migrationsCollection = 'migrations';

/** Between two steps, in milliseconds: leaves room for what the service asks of the store. */
const pauseMs = 50;
/** Between two tries of a service, in milliseconds. */
const againMs = 10_000;

/**
 * Does what is not recorded as done, in order, and records it. Killed, it goes on where it was when it is started again.
 * Where somebody else begins one anew meanwhile, that one is left to them.
 *
 * @param options.version of the service. `again`: those that are done as well, from the beginning. `leftovers`: those that
 * are done and can find what is left. `stopping` ends it after a step.
 * @returns what is recorded then. @throws as `storeCall` does.
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
    await storeCall(() => records.insertOne(begun)).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
    const at = await storeCall(() => records.findOne({ _id: name }));
    if (at === null || (at.done_at !== undefined && !(leftovers && findsLeftovers === true))) return;
    // Of another beginning than ours nothing is known: what we have done says nothing of how far that is.
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
      // Where several run, the one that is ahead has done everything up to there itself.
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
 * Does in the background what is not recorded as done when a service starts, and tries for as long as that lives. Other
 * processes of it may do the same. Never throws.
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
  let told: string | undefined;
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
      if (told !== String(err)) log.warn({ err }, 'migrations: not done yet; tried again until they are');
      told = String(err);
    }
    return againMs;
  }, resources);
}

function notDone(migrations: readonly Migration[], records: readonly MigrationRecord[]): string[] {
  const done = records.filter(({ done_at }) => done_at !== undefined).map(({ _id }) => _id);
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}

/** What is recorded of migrations, by the order of their names. */
export function readMigrations(connection: Connection): Promise<readonly MigrationRecord[]> {
  return storeCall(() =>
    connection.collection<MigrationRecord>(migrationsCollection).find().sort({ _id: 1 }).toArray(),
  ) as Promise<readonly MigrationRecord[]>;
}
