import { type Aggregates, waitForRoom } from '@sigcast/aggregates';
import { duplicateWrites, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import type { SignalFact } from '../domain/fact.ts';
import type { FactStore } from '../domain/ports.ts';
import { type FactDocument, factsCollection } from './fact-document.ts';
import { exitCodes } from './fact-position.ts';

/**
 * One batch at a time, since two may hold the same signal. A batch has fewer facts than events are in flight, so that a
 * backlog fills it.
 */
const batches = { most: 200, atOnce: 1 };
/** How long a full batch waits at most until earlier facts are counted, in milliseconds. A process that stops waits as long. */
const usualLongestWaitMs = 2_000;

type DirtyTracking = Pick<Aggregates, 'dirtyUpdate' | 'hasRoom'>;
type Facts = mongo.Collection<FactDocument>;

/**
 * The facts in MongoDB. Facts that arrive while others are being written, or within `lingerMs` milliseconds, are written
 * together.
 */
export function mongoFacts(
  connection: Connection,
  aggregates: DirtyTracking,
  { lingerMs = 0, longestWaitMs = usualLongestWaitMs } = {},
): FactStore {
  const facts = connection.collection<FactDocument>(factsCollection);
  const record = (batch: readonly SignalFact[]) =>
    storeCall(async () => {
      await recordAll(facts, aggregates, newestOfEach(batch));
      // A full batch is a backlog or an import. It waits, because each fact not counted yet makes reads slower.
      if (batch.length === batches.most) await waitForRoom(aggregates, AbortSignal.timeout(longestWaitMs));
      return batch.map(() => undefined);
    });
  return { record: inBatches(record, { ...batches, lingerMs }) };
}

async function recordAll(
  facts: Facts,
  aggregates: DirtyTracking,
  batch: readonly SignalFact[],
): Promise<void> {
  try {
    await facts.bulkWrite(
      batch.map((fact) => replacement(fact, aggregates, true)),
      { ordered: false },
    );
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    // These signals have a newer fact, or a fact that was inserted during the upsert. The latter may be older, so an update
    // follows, which finds the fact.
    const refused = [...duplicates].flatMap((index) => batch[index] ?? []);
    await facts.bulkWrite(
      refused.map((fact) => replacement(fact, aggregates, false)),
      { ordered: false },
    );
  }
}

/** Replaces an older fact. The same write sets `dirty`, so that the figures can't miss it. */
function replacement(fact: SignalFact, { dirtyUpdate }: DirtyTracking, upsert: boolean) {
  const { id, type, status, roi, ath, realizable, createdAt, rev } = fact;
  const fields = {
    type,
    status,
    roi,
    ath_roi: ath.roi,
    time_to_ath: ath.after,
    rev,
    created_at: createdAt,
    realizable_roi: realizable?.roi ?? null,
    realizable_exit: realizable ? exitCodes[realizable.exit] : null,
  } satisfies Omit<FactDocument, '_id' | 'dirty'>;
  return {
    updateOne: {
      filter: { _id: id, rev: { $lt: rev } },
      update: [{ $set: { ...fields, dirty: dirtyUpdate } }],
      upsert,
    },
  };
}

/** The newest fact of each signal, ordered by id so that two replicas can't deadlock on each other's documents. */
function newestOfEach(batch: readonly SignalFact[]): SignalFact[] {
  const newest = new Map<string, SignalFact>();
  for (const fact of batch) {
    const known = newest.get(fact.id);
    if (!known || known.rev < fact.rev) newest.set(fact.id, fact);
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
