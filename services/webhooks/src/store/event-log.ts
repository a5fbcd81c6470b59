import { type WebhookPayload, webhookEventTypes } from '@sigcast/contracts';
import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { inBatches, pause } from '@sigcast/runtime';
import type { KeptEvent, StoredEvent } from '../domain/fan-out.ts';
import type { EventDocument, FeedDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import { type Models, plainEvents } from './models.ts';

/** Events that get their places in one write. */
const maxBatch = 200;
/** Upper bound of the pause after losing places to another writer, in milliseconds: about the time of one write. */
const lostPauseMs = 10;
/**
 * For so long a writer takes itself for the only one, in milliseconds. Far less than events are kept: once they are
 * deleted, the index would give their places away again.
 */
const aloneForMs = 3_600_000;

const lastId: FeedDocument['_id'] = 'last';

/**
 * The highest place given so far, 0 before the first.
 *
 * The events say it, but they are deleted after a month and numbering must never begin anew; so it is noted beside
 * them, after they are stored. The note may be behind what is stored, never ahead of it; what lies beyond it is little.
 *
 * Like all reads, only of what no failing server can take back (`connectMongo`): building on a place that is lost again
 * would leave a hole.
 */
export async function lastPlace({ events, feed }: Models): Promise<number> {
  const noted = (await feed.findById(lastId).lean())?.seq ?? 0;
  const [last] = await events
    .find({ seq: { $gt: noted } }, { seq: 1 })
    .sort({ seq: -1 })
    .limit(1)
    .hint(indexNames.feed)
    .lean();
  return last?.seq ?? noted;
}

async function noteLast({ feed }: Models, seq: number): Promise<void> {
  await feed.updateOne({ _id: lastId }, { $max: { seq } }, { upsert: true });
}

/** Keeps events. */
export type EventLog = {
  /** Keeps an event with the next place in the feed. A second time changes nothing: the first place and bytes stay. */
  keep(event: StoredEvent): Promise<KeptEvent>;
  /** Notes the last place given so far. Due for each new event before it is acknowledged. */
  note(): Promise<void>;
};

/** The last place that a process has given. */
type Given = {
  readonly place: number;
  readonly atMs: number;
  /** No other process has given any since the one before. */
  readonly alone: boolean;
};

/**
 * The next place is the last one plus 1, under a unique index: of several writers that want it one gets it, and the
 * others look again. A batch is inserted in order and stops at its first failure. So nothing is ever inserted at
 * n + 1 before n is there, wherever a writer dies and however late a write of its arrives.
 *
 * A writer that has given the last places twice in a row takes itself for the only one: it knows the last place without a
 * look. The index refuses what it inserts if another writer was faster, or the event was kept before; then it looks.
 * `now`: the store's clock, in Unix milliseconds.
 */
export function eventLog(models: Models, now: () => number): EventLog {
  let given: Given | undefined;
  /** The highest place known here, and the highest that is noted. */
  let [highest, noted] = [0, 0];

  const note = async (): Promise<void> => {
    const upTo = highest;
    if (upTo <= noted) return;
    await noteLast(models, upTo);
    noted = Math.max(noted, upTo);
  };

  /** Reads the last place, and what became of those events that were kept before: they are not `left` any more. */
  const look = async (left: Map<string, StoredEvent>, earlier: Map<string, KeptEvent>): Promise<number> => {
    const [known, last] = await Promise.all([
      plainEvents(models)
        .find({ _id: { $in: [...left.keys()] } }, { projection: { seq: 1, fanned_out: 1 } })
        .toArray(),
      lastPlace(models),
    ]);
    for (const { _id, seq, fanned_out } of known) {
      left.delete(_id);
      earlier.set(_id, fanned_out ? 'done' : 'begun');
      highest = Math.max(highest, seq ?? (await placeOld(models, _id)));
    }
    // Whoever kept them may have died before the note, and those that are done are acknowledged without another one.
    if (known.length > 0) await note();
    return last;
  };

  const keepAll = async (batch: readonly StoredEvent[]): Promise<readonly KeptEvent[]> => {
    const earlier = new Map<string, KeptEvent>();
    const left = new Map<string, StoredEvent>();
    for (const event of batch) if (!left.has(event.id)) left.set(event.id, event);
    let known = given?.alone && now() - given.atMs < aloneForMs ? given.place : undefined;
    // A round is lost only to a writer that got the places: somebody always gets on.
    for (;;) {
      const before: number = known ?? (await look(left, earlier));
      if (left.size === 0) break;
      const atMs = now();
      const documents = documentsOf([...left.values()], before, new Date(atMs));
      try {
        await plainEvents(models).insertMany(documents, { ordered: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        known = undefined;
        await pause(Math.random() * lostPauseMs);
        continue;
      }
      given = { place: before + documents.length, atMs, alone: given?.place === before };
      highest = given.place;
      break;
    }
    return batch.map(({ id }): KeptEvent => earlier.get(id) ?? 'new');
  };

  return {
    // One write at a time in a process: what arrives meanwhile goes into the next, instead of competing for places.
    keep: inBatches((batch: readonly StoredEvent[]) => storeCall(() => keepAll(batch)), {
      most: maxBatch,
      atOnce: 1,
    }),
    note: () => storeCall(note),
  };
}

function documentsOf(events: readonly StoredEvent[], before: number, at: Date): EventDocument[] {
  return events.map(({ id, type, signalId, signalType, body, occurredAt, traceparent, imported }, index) => ({
    _id: id,
    seq: before + 1 + index,
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

/** Gives an event that was stored without a place the next one. Returns its place. */
async function placeOld(models: Models, id: string): Promise<number> {
  const { events } = models;
  for (;;) {
    const found = await events.findById(id).lean();
    if (!found) return 0; // past its month meanwhile
    if (found.seq !== undefined) return found.seq;
    const seq = (await lastPlace(models)) + 1;
    const { data } = JSON.parse(found.body) as WebhookPayload;
    try {
      await events.updateOne(
        { _id: id, seq: { $exists: false } },
        { $set: { seq, signal_id: data.id, signal_type: data.type } },
      );
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

/**
 * Once in a database's life: gives events from before the feed their places, oldest first. Interrupted, or done by
 * several at once, it ends the same. Workers that don't know of places must have stopped before.
 */
export async function placeOldEvents(models: Models): Promise<void> {
  const { events, feed } = models;
  if (await feed.findById(lastId).lean()) return;
  const old = events
    .find({ seq: { $exists: false }, type: { $in: webhookEventTypes } }, { _id: 1 })
    .sort({ created_at: 1, _id: 1 })
    .lean()
    .cursor();
  for await (const { _id } of old) await placeOld(models, _id);
  await noteLast(models, await lastPlace(models));
}
