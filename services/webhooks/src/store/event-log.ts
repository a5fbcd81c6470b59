import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { inBatches, pause } from '@sigcast/runtime';
import type { FanOutProgress, StoredEvent } from '../domain/fan-out.ts';
import type { EventDocument, FeedDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { type Models, plainEvents } from './models.ts';

/** The most events that one command appends. */
const maxBatch = 200;
/** The longest pause after another writer was faster, in milliseconds: about the time of one write. */
const maxConflictPauseMs = 10;
/**
 * How long a writer takes itself for the only one after its last append, in milliseconds. Much less than the retention of
 * events: the index would accept the sequence numbers of deleted events again.
 */
const soleWriterForMs = 3_600_000;

const lastId: FeedDocument['_id'] = 'last';

/**
 * The last sequence number of the feed, 0 before the first event.
 *
 * Events are deleted after a month, and numbering must never begin anew. So the last number is saved beside the events after
 * they are stored; the events behind the saved number are read as well. Reads return only what a majority of the store has
 * (`connectMongo`): continuing after a number that is lost would leave a gap.
 */
export async function lastSequence({ events, feed }: Models): Promise<number> {
  const saved = (await feed.findById(lastId).lean())?.sequence ?? 0;
  const [last] = await events
    .find({ sequence: { $gt: saved } }, { sequence: 1 })
    .sort({ sequence: -1 })
    .limit(1)
    .hint(indexNames.feed)
    .lean();
  return last?.sequence ?? saved;
}

async function saveLast({ feed }: Models, sequence: number): Promise<void> {
  await feed.updateOne({ _id: lastId }, { $max: { sequence } }, { upsert: true });
}

/** Where events are appended to the feed. */
type EventLog = {
  /** Appends an event to the feed. An event that is in the feed keeps its sequence number and bytes. */
  append(event: StoredEvent): Promise<FanOutProgress>;
  /** Saves the last sequence number. To be called for each new event before its message is acknowledged. */
  saveLast(): Promise<void>;
};

/** The last append of this process. */
type LastAppend = {
  readonly sequence: number;
  readonly atMs: number;
  /** Whether no other process appended anything between this append and the one before. */
  readonly soleWriter: boolean;
};

/**
 * The next sequence number is the last one plus 1, under a unique index: of several writers that insert it one succeeds, and
 * the others read the last number again. A batch is inserted in order and stops at its first failure. So number n + 1 is
 * never inserted before n, wherever a writer dies and however late one of its writes arrives.
 *
 * A writer that made the last two appends takes itself for the only one: it knows the last number without a read. If another
 * writer was faster, or the event is stored already, the index refuses the insert, and the writer reads.
 * `now`: the store's clock, in Unix milliseconds.
 */
export function eventLog(models: Models, now: () => number): EventLog {
  let lastAppend: LastAppend | undefined;
  /** The highest sequence number known here, and the highest that is saved. */
  let [highest, saved] = [0, 0];

  const saveHighest = async (): Promise<void> => {
    const upTo = highest;
    if (upTo <= saved) return;
    await saveLast(models, upTo);
    saved = Math.max(saved, upTo);
  };

  /** Reads the last sequence number, and moves the events that are stored already from `left` to `earlier`. */
  const readStored = async (
    left: Map<string, StoredEvent>,
    earlier: Map<string, FanOutProgress>,
  ): Promise<number> => {
    const [known, last] = await Promise.all([
      plainEvents(models)
        .find({ _id: { $in: [...left.keys()] } }, { projection: { sequence: 1, fanned_out: 1 } })
        .toArray(),
      lastSequence(models),
    ]);
    for (const { _id, sequence, fanned_out } of known) {
      left.delete(_id);
      earlier.set(_id, fanned_out ? 'done' : 'begun');
      highest = Math.max(highest, sequence);
    }
    // Their writer may have died before it saved the last number, and events that are done are acknowledged without saving it.
    if (known.length > 0) await saveHighest();
    return last;
  };

  const appendAll = async (batch: readonly StoredEvent[]): Promise<readonly FanOutProgress[]> => {
    const earlier = new Map<string, FanOutProgress>();
    const left = new Map<string, StoredEvent>();
    for (const event of batch) if (!left.has(event.id)) left.set(event.id, event);
    let known =
      lastAppend?.soleWriter && now() - lastAppend.atMs < soleWriterForMs ? lastAppend.sequence : undefined;
    // Each conflict means that another writer succeeded, so all events are appended in the end.
    for (;;) {
      const before: number = known ?? (await readStored(left, earlier));
      if (left.size === 0) break;
      const atMs = now();
      const documents = documentsOf([...left.values()], before, new Date(atMs));
      try {
        await plainEvents(models).insertMany(documents, { ordered: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        known = undefined;
        await pause(Math.random() * maxConflictPauseMs);
        continue;
      }
      lastAppend = { sequence: before + documents.length, atMs, soleWriter: lastAppend?.sequence === before };
      highest = lastAppend.sequence;
      break;
    }
    return batch.map(({ id }): FanOutProgress => earlier.get(id) ?? 'new');
  };

  return {
    // One write at a time in a process, so that its own writes do not compete for sequence numbers.
    append: inBatches((batch: readonly StoredEvent[]) => storeCall(() => appendAll(batch)), {
      most: maxBatch,
      atOnce: 1,
    }),
    saveLast: () => storeCall(saveHighest),
  };
}

function documentsOf(events: readonly StoredEvent[], before: number, at: Date): EventDocument[] {
  return events.map(({ id, type, signalId, signalType, body, occurredAt, traceparent, imported }, index) => ({
    _id: id,
    sequence: before + 1 + index,
    type,
    signal_id: signalId,
    signal_type: signalType,
    body,
    occurred_at: occurredAt,
    created_at: at,
    ...(traceparent !== undefined && { traceparent }),
    ...(imported && { imported }),
  }));
}
