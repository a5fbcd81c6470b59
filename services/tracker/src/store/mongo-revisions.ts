import { asOfDelayS } from '@sigcast/contracts';
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

type Collections = {
  readonly observations: mongo.Collection<ObservationDocument>;
  readonly tracked: mongo.Collection<TrackedDocument>;
};

/**
 * One batch at a time, since two may hold the same signal. A batch has fewer revisions than events are in flight, so that a
 * backlog fills it.
 */
const batches = { most: 200, atOnce: 1 };

/**
 * The history in MongoDB. Revisions that arrive while others are being written, or within `lingerMs` milliseconds, are
 * written together.
 */
export function mongoRevisions(
  connection: Connection,
  now: () => Date = () => new Date(),
  lingerMs = 0,
): RevisionStore {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const collections = { observations, tracked };
  const record = (batch: readonly Revision[]) =>
    storeCall(async () => {
      // Observations first: a kill between the two writes leaves no revision in `tracked` without its observation, and the
      // events are delivered again.
      const known = await insertObservations(collections, batch, now());
      await updateTracked(
        tracked,
        Map.groupBy(known, ({ id }) => id),
        earliestThinning,
      );
      return batch.map(() => undefined);
    });
  return {
    record: inBatches(record, { ...batches, lingerMs }),

    recordStates: (states) =>
      storeCall(async () => {
        const revisions = await highestKnown(tracked, states);
        const missing = states.filter(({ id, rev }) => (revisions.get(id) ?? 0) < rev);
        if (missing.length === 0) return 0;
        const known = await insertStates(collections, missing, now());
        // The first observation of a signal is never thinned. So a state alone is no reason to thin.
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
 * Inserts observations.
 * @returns the ids of those that existed already, which stay as they are.
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

/** The highest revision that is known of each signal, by the signal's id; absent where the signal is not known. */
async function highestKnown(
  tracked: mongo.Collection<TrackedDocument>,
  revisions: readonly Revision[],
): Promise<ReadonlyMap<string, number>> {
  const highest = new Map<string, number>();
  for (const ids of idBatches([...new Set(revisions.map(({ id }) => id))])) {
    const found = tracked.find({ _id: { $in: [...ids] } }, { projection: { revs_known: 1 } });
    for await (const { _id, revs_known } of found)
      highest.set(_id, Math.max(0, ...Object.values(revs_known)));
  }
  return highest;
}

/** When an observation was inserted longer ago than this and its signal does not know it, its write was not finished. */
const unfinishedMs = (asOfDelayS * 1_000) / 2;

/**
 * The revisions with the instant since which each is known: `at`, or for `existing` observations the instant at which they
 * were inserted. Those that were never shown, because a process was killed before it updated the signal, are known since `at`,
 * too, which is stored with them. So what was answered meanwhile stays true.
 */
async function withKnownAt(
  { observations, tracked }: Collections,
  revisions: readonly Revision[],
  { at, existing }: { readonly at: Date; readonly existing: readonly string[] },
): Promise<readonly KnownRevision[]> {
  const known = new Map(
    revisions.map((revision) => [observationId(revision.id, revision.rev), { ...revision, knownAt: at }]),
  );
  if (existing.length === 0) return [...known.values()];
  const highest = await highestKnown(tracked, revisions);
  const unshown: string[] = [];
  for (const ids of idBatches(existing)) {
    const inserted = observations.find({ _id: { $in: [...ids] } }, { projection: { known_at: 1 } });
    for await (const { _id, known_at } of inserted) {
      const revision = known.get(_id);
      if (!revision) continue;
      const isShown = (highest.get(revision.id) ?? 0) >= revision.rev;
      const isOld = at.getTime() - known_at.getTime() > unfinishedMs;
      if (isOld && !isShown) unshown.push(_id);
      else known.set(_id, { ...revision, knownAt: known_at });
    }
  }
  for (const ids of idBatches(unshown))
    await observations.updateMany({ _id: { $in: [...ids] } }, { $set: { known_at: at } });
  return [...known.values()];
}

/** Inserts the states of signals as observations. Those that have an observation of their revision keep it. */
async function insertStates(
  collections: Collections,
  states: readonly Revision[],
  at: Date,
): Promise<readonly KnownRevision[]> {
  const documents = states.map((state) => ({
    ...toDocument({ ...state, knownAt: at }),
    from_state: true as const,
  }));
  const existing = await insert(collections.observations, documents);
  return withKnownAt(collections, states, { at, existing });
}

/** Inserts an observation for each revision that has none. An observation that was made of a signal's state is replaced. */
async function insertObservations(
  collections: Collections,
  batch: readonly Revision[],
  at: Date,
): Promise<readonly KnownRevision[]> {
  const documents = new Map(
    batch.map((revision) => {
      const document = toDocument({ ...revision, knownAt: at });
      return [document._id, document];
    }),
  );
  const existing = await insert(collections.observations, [...documents.values()]);
  if (existing.length > 0) {
    await collections.observations.bulkWrite(
      existing.map((id) => {
        // The figures of the revision were known when its state was recorded, so `known_at` stays.
        const { _id, known_at: _at, ...observation } = documents.get(id) as ObservationDocument;
        const update = { $set: observation, $unset: { from_state: '' as const } };
        return { updateOne: { filter: { _id, from_state: true as const }, update } };
      }),
      { ordered: false },
    );
  }
  return withKnownAt(collections, batch, { at, existing });
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
