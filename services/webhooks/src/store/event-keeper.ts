import { type WebhookPayload, webhookEventTypes } from '@sigcast/contracts';
import { isDuplicateKey, storeCall } from '@sigcast/mongo';
import { inBatches, pause } from '@sigcast/runtime';
import type { KeptEvent, StoredEvent } from '../domain/fan-out.ts';
import type { FeedDocument } from './documents.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** Events that get their places in one write. */
const maxBatch = 200;
/** Upper bound of the pause after losing places to another writer, in milliseconds: about the time of one write. */
const lostPauseMs = 10;

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

/**
 * Keeps events, each with the next place in the feed. A second time changes nothing: the first place and bytes stay.
 *
 * The next place is the last one plus 1, under a unique index: of several writers that want it one gets it, and the
 * others look again. A batch is inserted in order and stops at its first failure. So nothing is ever inserted at
 * n + 1 before n is there, wherever a writer dies and however late a write of its arrives.
 */
export function eventKeeper(models: Models, now: () => number): (event: StoredEvent) => Promise<KeptEvent> {
  // One write at a time in a process: what arrives meanwhile goes into the next, instead of competing for places.
  return inBatches(
    async (batch: readonly StoredEvent[]) => {
      const known = await storeCall(() => keepAll(models, batch, now));
      return batch.map(({ id }): KeptEvent => known.get(id) ?? 'new');
    },
    { most: maxBatch, atOnce: 1 },
  );
}

/** Returns what became of those that were there before. */
async function keepAll(
  models: Models,
  batch: readonly StoredEvent[],
  now: () => number,
): Promise<ReadonlyMap<string, KeptEvent>> {
  const { events } = models;
  const earlier = new Map<string, KeptEvent>();
  const left = new Map<string, StoredEvent>();
  for (const event of batch) if (!left.has(event.id)) left.set(event.id, event);
  let last = 0;
  // A round is lost only to a writer that got the places: somebody always gets on.
  while (left.size > 0) {
    const [known, before] = await Promise.all([
      events.find({ _id: { $in: [...left.keys()] } }, { seq: 1, fanned_out: 1 }).lean(),
      lastPlace(models),
    ]);
    for (const { _id, seq, fanned_out } of known) {
      left.delete(_id);
      earlier.set(_id, fanned_out ? 'done' : 'begun');
      last = Math.max(last, seq ?? (await placeOld(models, _id)));
    }
    if (left.size === 0) break;
    const at = new Date(now());
    const documents = [...left.values()].map(({ id, type, signalType, body, occurredAt }, index) => ({
      _id: id,
      seq: before + 1 + index,
      type,
      signal_type: signalType,
      body,
      occurred_at: occurredAt,
      created_at: at,
    }));
    try {
      await events.insertMany(documents, { ordered: true });
      last = before + documents.length;
      break;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await pause(Math.random() * lostPauseMs);
    }
  }
  await noteLast(models, last);
  return earlier;
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
      await events.updateOne({ _id: id, seq: { $exists: false } }, { $set: { seq, signal_type: data.type } });
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
