import { backoffMs, type Logger, pause, type Resources, waitAtMost } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import { isUnavailable } from './errors.ts';

/** An index as data; the name is required because queries name it in `hint`. */
export type IndexSpec = mongo.IndexDescription & { readonly name: string };

/** The indexes of several collections, by the collection's name. */
export type IndexPlan = Readonly<Record<string, readonly IndexSpec[]>>;

/** How long a start waits for indexes that are not unique, in milliseconds. On a collection without documents it takes some. */
const startWaitMs = 5_000;

/** Between two tries to make what MongoDB refused: an operator has to do something in between. */
const refusedEveryMs = 60_000;

/**
 * Creates the indexes that are missing, and returns when they are there. Existing ones of the same name and definition are
 * left alone.
 *
 * @returns the names of those that were asked for.
 * @throws the driver's error when that can't be done now, or not at all.
 */
export async function ensureIndexes(
  connection: Connection,
  collection: string,
  indexes: readonly IndexSpec[],
): Promise<string[]> {
  if (indexes.length === 0) return [];
  return connection.collection(collection).createIndexes([...indexes]);
}

/**
 * Creates the indexes that are missing for a service that starts. Never throws: what fails is tried again for as long as
 * the service lives. A query that names an index which is not there fails as SERVICE_UNAVAILABLE.
 *
 * Returns when unique indexes, which keep promises, are there or refused, and the others too or after 5 s. What MongoDB
 * refuses (another index has the name, values are there twice) is an operator's matter, and logged as an error: the
 * service goes on with what there is.
 */
export async function startIndexes(
  connection: Connection,
  plan: IndexPlan,
  log: Logger,
  resources: Resources,
): Promise<void> {
  const stopping = new AbortController();
  resources.defer(() => stopping.abort());
  const makeAll = (wanted: (index: IndexSpec) => boolean) =>
    Promise.all(
      Object.entries(plan).map(([collection, indexes]) =>
        keepMaking(
          () => ensureIndexes(connection, collection, indexes.filter(wanted)),
          log.child({ collection }),
          stopping.signal,
        ),
      ),
    );
  await makeAll(({ unique }) => unique === true);
  await waitAtMost(
    startWaitMs,
    makeAll(({ unique }) => unique !== true),
  );
}

/** Resolves when they are made, or were refused once; goes on behind that until they are made. */
function keepMaking(make: () => Promise<unknown>, log: Logger, stopping: AbortSignal): Promise<void> {
  return new Promise((settled) => {
    const run = async () => {
      let told: string | undefined;
      for (let attempt = 1; !stopping.aborted; attempt++) {
        const problem = await make().then(
          () => undefined,
          (err: unknown) => ({ err, refused: !isUnavailable(err) }),
        );
        if (!problem) {
          if (told !== undefined) log.info('indexes: all there now');
          break;
        }
        const { err, refused } = problem;
        if (told !== String(err)) {
          if (refused) log.error({ err }, 'indexes: MongoDB refuses one; an operator has to look at it');
          else log.warn({ err }, 'indexes: not there yet; tried again until they are');
        }
        told = String(err);
        if (refused) settled();
        const waitMs = refused ? refusedEveryMs : backoffMs(attempt, { firstMs: 100, maxMs: 5_000 });
        await pause(waitMs, stopping).catch(() => undefined);
      }
      settled();
    };
    void run();
  });
}
