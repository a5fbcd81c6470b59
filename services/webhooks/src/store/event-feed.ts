import type { SignalType, WebhookEventType } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { EventFeed, ListFilter, PlacedEvent } from '../domain/feed.ts';
import type { EventDocument } from './documents.ts';
import { lastPlace } from './event-log.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** Only events of subscribers' kinds, about a signal, have a place. */
type PlacedDocument = EventDocument & { seq: number; type: WebhookEventType; signal_type: SignalType };

/**
 * The feed in MongoDB. Every read walks the index of places upwards, and only that one: an index that has the type
 * in front would be walked once per type, and an event arriving between two of those walks be missed. The few events of one
 * signal are found by the signal's index and sorted. What a failing server could still take back is not read, as nothing is
 * (`connectMongo`): its place would be given to another event.
 * @param maxLookedAt places looked at for one answer: a filter that lets nothing through must not read a month at once.
 */
export function mongoEventFeed(models: Models, maxLookedAt = 20_000): EventFeed {
  const { events } = models;

  const walk = async (after: number, end: number | undefined, filter: ListFilter, limit: number) => {
    const found = await events
      .find({
        seq: end === undefined ? { $gt: after } : { $gt: after, $lte: end },
        ...(filter.events && { type: { $in: [...filter.events] } }),
        ...(filter.types && { signal_type: { $in: [...filter.types] } }),
        ...(filter.signal !== undefined && { signal_id: filter.signal }),
      })
      .sort({ seq: 1 })
      .limit(limit)
      .batchSize(limit)
      .hint(filter.signal === undefined ? indexNames.feed : indexNames.signal)
      .lean<PlacedDocument[]>();
    return found.map(toPlacedEvent);
  };

  return {
    bounds: () =>
      storeCall(async () => {
        const first = () => walk(0, undefined, {}, 1);
        const [[found], last] = await Promise.all([first(), lastPlace(models)]);
        // The first event of all may have come after it was looked for: then nothing is gone.
        const oldest = found ?? (last > 0 ? (await first())[0] : undefined);
        // An event may have come after the last place was read.
        const end = Math.max(last, oldest?.seq ?? 0);
        return { start: oldest ? oldest.seq - 1 : end, end };
      }),

    placeOf: (eventId) =>
      storeCall(async () => {
        const found = await events.findById(eventId, { seq: 1 }).lean();
        return found?.seq;
      }),

    read: (after, end, filter, limit) =>
      storeCall(async () => {
        const lookUpTo = filter.signal === undefined ? Math.min(end, after + maxLookedAt) : end;
        const found = await walk(after, lookUpTo, filter, limit + 1);
        const last = found[limit - 1];
        if (found.length > limit && last) {
          return { events: found.slice(0, limit), upTo: last.seq, more: true };
        }
        return { events: found, upTo: Math.max(after, lookUpTo), more: lookUpTo < end };
      }),

    readNew: (after, limit) =>
      storeCall(async () => {
        const found = await walk(after, undefined, {}, limit);
        return { events: found, upTo: found.at(-1)?.seq ?? after };
      }),
  };
}

function toPlacedEvent({ _id, seq, type, signal_type, body }: PlacedDocument): PlacedEvent {
  return { seq, id: _id, type, signalType: signal_type, body };
}
