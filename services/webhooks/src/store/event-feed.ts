import { storeCall } from '@sigcast/mongo';
import type { EventFeed, FeedEntry, FeedOrder, ListFilter } from '../domain/feed.ts';
import type { EventDocument } from './documents.ts';
import { lastSequence } from './event-log.ts';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/**
 * The feed in MongoDB. Each read scans the index of sequence numbers in one direction and applies filters to what it finds. An index
 * that begins with the type would be scanned once per type, and an event that arrives between two scans would be missed. The
 * few events of one signal are found by the signal's index and sorted. Reads return only what a majority of the store has
 * (`connectMongo`): otherwise a lost event's sequence number could go to another event after it was read.
 * @param maxScanned the most events that one read scans, so that a filter that matches nothing does not scan a month.
 */
export function mongoEventFeed(models: Models, maxScanned = 20_000): EventFeed {
  const { events } = models;

  /** Reads events behind `after`, up to `end`, or to the end of the feed. */
  const scan = async (
    {
      after,
      end,
      limit,
      order = 'asc',
    }: {
      readonly after: number;
      readonly end?: number;
      readonly limit: number;
      readonly order?: FeedOrder;
    },
    filter: ListFilter = {},
  ) => {
    const found = await events
      .find({
        sequence: end === undefined ? { $gt: after } : { $gt: after, $lte: end },
        ...(filter.events && { type: { $in: [...filter.events] } }),
        ...(filter.types && { signal_type: { $in: [...filter.types] } }),
        ...(filter.signal !== undefined && { signal_id: filter.signal }),
        ...(filter.since && { occurred_at: { $gte: filter.since } }),
      })
      .sort({ sequence: order === 'asc' ? 1 : -1 })
      .limit(limit)
      // eslint-disable-next-line no-restricted-syntax -- the whole answer in one page
      .batchSize(limit)
      .hint(filter.signal === undefined ? indexNames.feed : indexNames.signal)
      .lean();
    return found.map(toFeedEntry);
  };

  return {
    bounds: () =>
      storeCall(async () => {
        const first = () => scan({ after: 0, limit: 1 });
        const [[found], last] = await Promise.all([first(), lastSequence(models)]);
        // The very first event may have been appended between the two reads: then it is read again.
        const oldest = found ?? (last > 0 ? (await first())[0] : undefined);
        // An event may have been appended after the last sequence number was read.
        const end = Math.max(last, oldest?.sequence ?? 0);
        return { start: oldest ? oldest.sequence - 1 : end, end };
      }),

    sequenceOf: (eventId) =>
      storeCall(async () => {
        const found = await events.findById(eventId, { sequence: 1 }).lean();
        return found?.sequence;
      }),

    read: ({ after, end, limit, order = 'asc' }, filter) =>
      storeCall(async () => {
        const scanned = filter.signal === undefined ? Math.min(maxScanned, end - after) : end - after;
        const part = order === 'asc' ? { after, end: after + scanned } : { after: end - scanned, end };
        const found = await scan({ ...part, limit: limit + 1, order }, filter);
        const last = found[limit - 1];
        if (found.length > limit && last) {
          const upTo = order === 'asc' ? last.sequence : last.sequence - 1;
          return { events: found.slice(0, limit), upTo, more: true };
        }
        // A cursor may lie beyond the end that was read before it was looked up.
        const upTo = order === 'asc' ? Math.max(after, part.end) : Math.min(end, part.after);
        return { events: found, upTo, more: scanned < end - after };
      }),

    readNew: (after, limit) =>
      storeCall(async () => {
        const found = await scan({ after, limit });
        return { events: found, upTo: found.at(-1)?.sequence ?? after };
      }),
  };
}

/** An event as readers of the feed have it. */
export function toFeedEntry({ _id, sequence, type, signal_type, body }: EventDocument): FeedEntry {
  return { sequence, id: _id, type, signalType: signal_type, body };
}
