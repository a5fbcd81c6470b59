import { duplicateWrites, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import type { RevisionStore } from '../domain/ports.ts';
import type { Revision } from '../domain/revision.ts';
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
      await updateTracked(tracked, batch);
      return batch.map(() => undefined);
    });
  return { record: inBatches(record, batches) };
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
  batch: readonly Revision[],
): Promise<void> {
  const bySignal = Map.groupBy(batch, ({ id }) => id);
  const ids = [...bySignal.keys()].sort();
  const writes = ids.map((id) => ({
    updateOne: { filter: { _id: id }, update: trackedUpdate(bySignal.get(id) ?? []), upsert: true },
  }));
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
