import { type Aggregates, waitForRoom } from '@sigcast/aggregates';
import { duplicateWrites, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Connection, mongo } from 'mongoose';
import type { SignalFact } from '../domain/fact.ts';
import type { FactStore } from '../domain/ports.ts';
import { type FactDocument, factsCollection } from './fact-document.ts';
import { storedRevision } from './fact-revision.ts';

/** A batch is a fraction of a second's work for the store; one at a time, since batches may share a signal. */
const batches = { most: 500, atOnce: 1 };
/** The longest that facts wait for the figures of earlier ones, in milliseconds. */
const usualLongestWaitMs = 5_000;

type Marking = Pick<Aggregates, 'dirtyUpdate' | 'hasRoom'>;
type Facts = mongo.Collection<FactDocument>;

/** The facts in MongoDB. Those that come while others are being written are written together. */
export function mongoFacts(
  connection: Connection,
  aggregates: Marking,
  longestWaitMs = usualLongestWaitMs,
): FactStore {
  const facts = connection.collection<FactDocument>(factsCollection);
  const record = (batch: readonly SignalFact[]) =>
    storeCall(async () => {
      await recordAll(facts, aggregates, newestOfEach(batch));
      // So many at once are events that have waited, or an import: reading gets dearer with what is not counted yet.
      if (batch.length === batches.most) await waitForRoom(aggregates, AbortSignal.timeout(longestWaitMs));
      return batch.map(() => undefined);
    });
  return { record: inBatches(record, batches) };
}

async function recordAll(facts: Facts, aggregates: Marking, batch: readonly SignalFact[]): Promise<void> {
  try {
    await facts.bulkWrite(
      batch.map((fact) => replacement(fact, aggregates, true)),
      { ordered: false },
    );
  } catch (error) {
    const duplicates = duplicateWrites(error);
    if (!duplicates) throw error;
    // These signals have a fact: a newer one, or one that was inserted since the upsert looked, which may be older.
    const refused = [...duplicates].flatMap((index) => batch[index] ?? []);
    await facts.bulkWrite(
      refused.map((fact) => replacement(fact, aggregates, false)),
      { ordered: false },
    );
  }
}

/** Replaces an older fact. `dirty` is set in the same step, so there is no fact that figures could miss. */
function replacement(fact: SignalFact, { dirtyUpdate }: Marking, upsert: boolean) {
  const { id, type, status, roi, ath, createdAt } = fact;
  const rev = storedRevision(fact);
  const high = ath && { ath_roi: ath.roi, time_to_ath: ath.after };
  return {
    updateOne: {
      filter: { _id: id, rev: { $lt: rev } },
      update: [{ $set: { type, status, roi, ...high, rev, created_at: createdAt, dirty: dirtyUpdate } }],
      upsert,
    },
  };
}

/** In the order of their ids, so that two replicas never wait for each other's documents. */
function newestOfEach(batch: readonly SignalFact[]): SignalFact[] {
  const newest = new Map<string, SignalFact>();
  for (const fact of batch) {
    const known = newest.get(fact.id);
    if (!known || storedRevision(known) < storedRevision(fact)) newest.set(fact.id, fact);
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
