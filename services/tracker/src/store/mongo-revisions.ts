import { duplicateWrites, idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import type { RevisionStore } from '../domain/ports.ts';
import type { Revision } from '../domain/revision.ts';
import { thinningTime } from '../domain/thinning.ts';
import { type ObservationDocument, observationsCollection, toDocument } from './observation-document.ts';
import { type TrackedDocument, trackedCollection } from './tracked-document.ts';
import { trackedUpdate } from './tracked-update.ts';

/** A batch takes the store a fraction of a second. One batch at a time, since two may hold the same signal. */
const batches = { most: 500, atOnce: 1 };

/** The history in MongoDB. Revisions that arrive while others are being written are written together. */
export function mongoRevisions(connection: Connection): RevisionStore {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const record = (batch: readonly Revision[]) =>
    storeCall(async () => {
      // Observations first: after a kill between the two writes the events are delivered again, and whatever `tracked`
      // knows of has its observations.
      await insertObservations(observations, batch);
      await updateTracked(
        tracked,
        Map.groupBy(batch, ({ id }) => id),
        earliestThinning,
      );
      return batch.map(() => undefined);
    });
  return {
    record: inBatches(record, batches),

    recordStates: (states) =>
      storeCall(async () => {
        const known = new Map<string, number>();
        for (const ids of idBatches(states.map(({ id }) => id))) {
          const found = tracked.find({ _id: { $in: [...ids] } }, { projection: { rev: 1 } });
          for await (const { _id, rev } of found) known.set(_id, rev);
        }
        const missing = states.filter(({ id, rev }) => (known.get(id) ?? 0) < rev);
        if (missing.length === 0) return 0;
        await insertStates(observations, missing);
        // The first observation of a signal is never thinned, so these alone are no reason to thin.
        const bySignal = new Map(missing.map((state) => [state.id, [state]]));
        await updateTracked(tracked, bySignal, () => undefined);
        return missing.length;
      }),
  };
}

function earliestThinning(revisions: readonly Revision[]): Date {
  return new Date(Math.min(...revisions.map(({ observation }) => thinningTime(observation.at).getTime())));
}

/** Inserts the states of signals as observations. Those that have an observation of their revision keep it. */
async function insertStates(
  observations: mongo.Collection<ObservationDocument>,
  states: readonly Revision[],
): Promise<void> {
  const documents = states.map(({ id, rev, observation }) => ({
    ...toDocument(id, rev, observation),
    from_state: true as const,
  }));
  try {
    await observations.insertMany(documents, { ordered: false });
  } catch (error) {
    if (!duplicateWrites(error)) throw error;
  }
}

/** Inserts an observation for each revision that has none. One that was made of the signal's state is replaced. */
async function insertObservations(
  observations: mongo.Collection<ObservationDocument>,
  batch: readonly Revision[],
): Promise<void> {
  const documents = [
    ...new Map(
      batch.map(({ id, rev, observation }) => {
        const document = toDocument(id, rev, observation);
        return [document._id, document];
      }),
    ).values(),
  ];
  try {
    await observations.insertMany(documents, { ordered: false });
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    const again = [...duplicates].flatMap((index) => documents[index] ?? []);
    await observations.bulkWrite(
      again.map(({ _id, ...replacement }) => ({
        replaceOne: { filter: { _id, from_state: true as const }, replacement },
      })),
      { ordered: false },
    );
  }
}

/** Brings the batch's signals up to date, in order of id so that two replicas can't deadlock on each other's documents. */
async function updateTracked(
  tracked: mongo.Collection<TrackedDocument>,
  bySignal: ReadonlyMap<string, readonly Revision[]>,
  thinAt: (revisions: readonly Revision[]) => Date | undefined,
): Promise<void> {
  const ids = [...bySignal.keys()].sort();
  const writes = ids.map((id) => {
    const revisions = bySignal.get(id) ?? [];
    const update = trackedUpdate(revisions, thinAt(revisions));
    return { updateOne: { filter: { _id: id }, update, upsert: true } };
  });
  try {
    await tracked.bulkWrite(writes, { ordered: false });
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    // Another replica inserted these signals during the upsert: now the same update finds them.
    const again = [...duplicates].flatMap((index) => writes[index] ?? []);
    await tracked.bulkWrite(again, { ordered: false });
  }
}
