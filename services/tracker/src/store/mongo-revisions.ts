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

/** A batch takes the store a fraction of a second. One batch at a time, since two may hold the same signal. */
const batches = { most: 500, atOnce: 1 };

/** The history in MongoDB. Revisions that arrive while others are being written are written together. */
export function mongoRevisions(connection: Connection, now: () => Date = () => new Date()): RevisionStore {
  const observations = connection.collection<ObservationDocument>(observationsCollection);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const collections = { observations, tracked };
  const record = (batch: readonly Revision[]) =>
    storeCall(async () => {
      // Observations first: after a kill between the two writes the events are delivered again, and whatever `tracked`
      // knows of has its observations.
      const known = await insertObservations(collections, batch, now());
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
        const revisions = await highestKnown(tracked, states);
        const missing = states.filter(({ id, rev }) => (revisions.get(id) ?? 0) < rev);
        if (missing.length === 0) return 0;
        const known = await insertStates(collections, missing, now());
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

/** The highest revision of each signal that is known as of now, by the signal's id. */
async function highestKnown(
  tracked: mongo.Collection<TrackedDocument>,
  revisions: readonly Revision[],
): Promise<ReadonlyMap<string, number>> {
  const highest = new Map<string, number>();
  for (const ids of idBatches([...new Set(revisions.map(({ id }) => id))])) {
    const found = tracked.find({ _id: { $in: [...ids] } }, { projection: { revs_known: 1 } });
    // The version before did not record since when it knew what.
    for await (const { _id, revs_known = {} } of found)
      highest.set(_id, Math.max(0, ...Object.values(revs_known)));
  }
  return highest;
}

/** An observation that was inserted so long ago, and is not known yet, is of a write that was not finished. */
const unfinishedMs = (asOfDelayS * 1_000) / 2;

/**
 * Says since when revisions are known: since `at`, and those in `before` since their observation was inserted. An
 * observation of the version before gets what that version did not record. So does one that nobody was shown, because its
 * process was killed before its signal was updated: what was answered about the time since then stays true.
 */
async function withKnownAt(
  { observations, tracked }: Collections,
  revisions: readonly Revision[],
  { at, before }: { readonly at: Date; readonly before: readonly string[] },
): Promise<readonly KnownRevision[]> {
  const known = new Map(
    revisions.map((revision) => [observationId(revision.id, revision.rev), { ...revision, knownAt: at }]),
  );
  if (before.length === 0) return [...known.values()];
  const highest = await highestKnown(tracked, revisions);
  const unknown: string[] = [];
  for (const ids of idBatches(before)) {
    const inserted = observations.find({ _id: { $in: [...ids] } }, { projection: { known_at: 1 } });
    for await (const { _id, known_at } of inserted) {
      const revision = known.get(_id);
      if (!revision) continue;
      const isShown = (highest.get(revision.id) ?? 0) >= revision.rev;
      const isOld = known_at && at.getTime() - known_at.getTime() > unfinishedMs;
      if (!known_at || (isOld && !isShown)) unknown.push(_id);
      else known.set(_id, { ...revision, knownAt: known_at });
    }
  }
  if (unknown.length > 0) {
    const updates = unknown.map((_id) => {
      const { mcapAth: mcap_ath, athHours: ath_hours } = known.get(_id) as KnownRevision;
      return { updateOne: { filter: { _id }, update: { $set: { known_at: at, mcap_ath, ath_hours } } } };
    });
    await observations.bulkWrite(updates, { ordered: false });
  }
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
  const before = await insert(collections.observations, documents);
  return withKnownAt(collections, states, { at, before });
}

/** Inserts an observation for each revision that has none. One that was made of the signal's state is replaced. */
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
  const before = await insert(collections.observations, [...documents.values()]);
  if (before.length > 0) {
    await collections.observations.bulkWrite(
      before.map((id) => {
        // The figures of the revision were known when its state was recorded, so `known_at` stays.
        const { _id, known_at: _at, ...observation } = documents.get(id) as ObservationDocument;
        const update = { $set: observation, $unset: { from_state: '' as const } };
        return { updateOne: { filter: { _id, from_state: true as const }, update } };
      }),
      { ordered: false },
    );
  }
  return withKnownAt(collections, batch, { at, before });
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
