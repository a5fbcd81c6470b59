import { backoffMs, type Logger, pause, type Resources, waitAtMost } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import { isUnavailable } from './errors.ts';

/** An index as data; the name is required because queries name it in `hint`. */
export type IndexSpec = mongo.IndexDescription & { readonly name: string };

/** The indexes of several collections, by the collection's name. */
export type IndexPlan = Readonly<Record<string, readonly IndexSpec[]>>;

/** How long a start waits for indexes that are not unique, in milliseconds. Creating them takes a moment even on empty collections. */
const startWaitMs = 5_000;

/** The time between two tries to create an index that MongoDB refused, in milliseconds. Long, because an operator has to act first. */
const refusedEveryMs = 60_000;

/**
 * Creates the missing indexes and waits until they are built.
 *
 * @returns the names of all given indexes.
 * @throws the driver's error when an index can't be created.
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
 * Creates the missing indexes of a service that starts. Never throws: a failure is tried again for as long as the service
 * runs. Until then a query with a `hint` of the index fails as SERVICE_UNAVAILABLE.
 *
 * Waits for unique indexes, which guarantees depend on, and at most 5 s for the others. An index that MongoDB refuses
 * (another index has the name, or values are duplicate) is logged as an error for the operator, and not waited for.
 */
export async function startIndexes(
  connection: Connection,
  plan: IndexPlan,
  log: Logger,
  resources: Resources,
): Promise<void> {
  const stopping = new AbortController();
  resources.defer(() => stopping.abort());
  const createAll = (wanted: (index: IndexSpec) => boolean) =>
    Promise.all(
      Object.entries(plan).map(([collection, indexes]) =>
        keepCreating(
          () => ensureIndexes(connection, collection, indexes.filter(wanted)),
          log.child({ collection }),
          stopping.signal,
        ),
      ),
    );
  await createAll(({ unique }) => unique === true);
  await waitAtMost(
    startWaitMs,
    createAll(({ unique }) => unique !== true),
  );
}

/** Resolves when the indexes are created, or refused once. Goes on in the background until they are created. */
function keepCreating(create: () => Promise<unknown>, log: Logger, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const run = async () => {
      let logged: string | undefined;
      for (let attempt = 1; !stopping.aborted; attempt++) {
        const problem = await create().then(
          () => undefined,
          (err: unknown) => ({ err, refused: !isUnavailable(err) }),
        );
        if (!problem) {
          if (logged !== undefined) log.info('indexes: all are created now');
          break;
        }
        const { err, refused } = problem;
        if (logged !== String(err)) {
          if (refused)
            log.error({ err }, 'indexes: MongoDB refuses to create an index; an operator has to act');
          else log.warn({ err }, 'indexes: they can not be created yet; tried again until they are');
        }
        logged = String(err);
        if (refused) resolve();
        const waitMs = refused ? refusedEveryMs : backoffMs(attempt, { firstMs: 100, maxMs: 5_000 });
        await pause(waitMs, stopping).catch(() => undefined);
      }
      resolve();
    };
    void run();
  });
}
