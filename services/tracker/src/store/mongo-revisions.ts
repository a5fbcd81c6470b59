import { duplicateWrites, idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import type { RevisionStore } from '../domain/ports.ts';
import type { KnownRevision, Revision } from '../domain/revision.ts';
import { thinningTime } from '../domain/thinning.ts';
import {
  type ObservationDocument,
  observationId,
  observationsCollection,
  toDocument,
} from './observation-document.ts';
import { type TrackedDocument, trackedCollection } from './tracked-document.ts';
import { trackedUpdate } from './tracked-update.ts';

/** A batch takes the store a fraction of a second. One batch at a time, since two may hold the same signal. */
const batches = { most: 500, atOnce: 1 };

/** The history in MongoDB. Revisions that arrive while others are being written are written together. */
export function mongoRevisions(connection: Connection, now: () => Date = () => new Date()): RevisionStore {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const record = (batch: readonly Revision[]) =>
    storeCall(async () => {
      // Observations first: after a kill between the two writes the events are delivered again, and whatever `tracked`
      // knows of has its observations.
      const known = await insertObservations(observations, batch, now());
      await updateTracked(
        tracked,
        Map.groupBy(known, ({ id }) => id),
        earliestThinning,
      );
      return batch.map(() => undefined);
    });
  return {
    record: inBatches(record, batches),

    recordStates: (states) =>
      storeCall(async () => {
        const revisions = new Map<string, number>();
        for (const ids of idBatches(states.map(({ id }) => id))) {
          // Signals that the version before recorded are recorded again, as it did not say since when they are known.
          const known = { _id: { $in: [...ids] }, known_at: { $exists: true } };
          const found = tracked.find(known, { projection: { rev: 1 } });
          for await (const { _id, rev } of found) revisions.set(_id, rev);
        }
        const missing = states.filter(({ id, rev }) => (revisions.get(id) ?? 0) < rev);
        if (missing.length === 0) return 0;
        const known = await insertStates(observations, missing, now());
        // The first observation of a signal is never thinned, so these alone are no reason to thin.
        const bySignal = new Map(known.map((state) => [state.id, [state]]));
        await updateTracked(tracked, bySignal, () => undefined);
        return missing.length;
      }),
  };
}

function earliestThinning(revisions: readonly Revision[]): Date {
  return new Date(Math.min(...revisions.map(({ observation }) => thinningTime(observation.at).getTime())));
}

/**
 * Inserts an observation for each of some revisions, each revision once.
 * @returns the ids of those that there were before.
 */
async function insert(
  observations: mongo.Collection<ObservationDocument>,
  documents: readonly ObservationDocument[],
): Promise<readonly string[]> {
  try {
    await observations.insertMany([...documents], { ordered: false });
    return [];
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    return [...duplicates].flatMap((index) => documents[index]?._id ?? []);
  }
}

/** The revisions with when they were recorded first: `at`, but for observations that there were before. */
async function withKnownAt(
  observations: mongo.Collection<ObservationDocument>,
  revisions: readonly Revision[],
  { at, before }: { readonly at: Date; readonly before: Iterable<string> },
): Promise<readonly KnownRevision[]> {
  const earlier = new Map<string, Date>();
  for (const ids of idBatches([...before])) {
    const found = observations.find({ _id: { $in: [...ids] } }, { projection: { known_at: 1 } });
    for await (const { _id, known_at } of found) earlier.set(_id, known_at);
  }
  return revisions.map((revision) => ({
    ...revision,
    knownAt: earlier.get(observationId(revision.id, revision.rev)) ?? at,
  }));
}

/**
 * Inserts the states of signals as observations. Those that have an observation of their revision keep it, with what the
 * version before did not record.
 */
async function insertStates(
  observations: mongo.Collection<ObservationDocument>,
  states: readonly Revision[],
  at: Date,
): Promise<readonly KnownRevision[]> {
  const documents = states.map((state) => toDocument({ ...state, knownAt: at }));
  const before = new Set(
    await insert(
      observations,
      documents.map((document) => ({ ...document, from_state: true as const })),
    ),
  );
  const unknown = documents.flatMap(({ _id, known_at, mcap_ath, ath_hours }) => {
    const filter = { _id, known_at: { $exists: false } };
    return before.has(_id)
      ? { updateOne: { filter, update: { $set: { known_at, mcap_ath, ath_hours } } } }
      : [];
  });
  if (unknown.length > 0) await observations.bulkWrite(unknown, { ordered: false });
  return withKnownAt(observations, states, { at, before });
}

/** Inserts an observation for each revision that has none. One that was made of the signal's state is replaced. */
async function insertObservations(
  observations: mongo.Collection<ObservationDocument>,
  batch: readonly Revision[],
  at: Date,
): Promise<readonly KnownRevision[]> {
  const documents = new Map(
    batch.map((revision) => {
      const document = toDocument({ ...revision, knownAt: at });
      return [document._id, document];
    }),
  );
  const before = await insert(observations, [...documents.values()]);
  if (before.length > 0) {
    await observations.bulkWrite(
      before.map((id) => {
        // The figures of the revision were known when its state was recorded, so `known_at` stays.
        const { _id, known_at: _at, ...observation } = documents.get(id) as ObservationDocument;
        const update = { $set: observation, $unset: { from_state: '' as const } };
        return { updateOne: { filter: { _id, from_state: true as const }, update } };
      }),
      { ordered: false },
    );
  }
  return withKnownAt(observations, batch, { at, before });
}

/** Brings the batch's signals up to date, in order of id so that two replicas can't deadlock on each other's documents. */
async function updateTracked(
  tracked: mongo.Collection<TrackedDocument>,
  bySignal: ReadonlyMap<string, readonly KnownRevision[]>,
  thinAt: (revisions: readonly KnownRevision[]) => Date | undefined,
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
