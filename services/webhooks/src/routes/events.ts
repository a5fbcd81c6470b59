import {
  type Conditions,
  eventConditionFields,
  matcherOf,
  matcherOfFilter,
  type OperationOf,
  SigcastError,
} from '@sigcast/contracts';
import { type OperationHandlers, setLinks } from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import {
  cursorAt,
  type EventFeed,
  rangeOf,
  readMeeting,
  sequenceOfCursor,
  toFeedEvent,
  tryOnNewest,
} from '../domain/feed.ts';
import { writeEventStream } from '../streaming/event-stream.ts';
import type { FeedTail } from '../streaming/feed-tail.ts';
import type { OpenStreams } from '../streaming/open-streams.ts';

export type StreamDeps = {
  readonly feed: EventFeed;
  readonly tail: FeedTail;
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
  readonly random: () => number;
  readonly log: Logger;
};

/** When the clients of a stopped process connect again, spread at random, in milliseconds. */
const retrySpreadMs = { least: 1_000, more: 2_000 };

type Handlers = OperationHandlers<OperationOf<'webhooks'>>;

/** Answers the operations of the feed of events. */
export function eventHandlers(deps: StreamDeps) {
  const { feed } = deps;
  return {
    listEvents: async ({
      query: { after, order, type, signal_type, signal_id, limit, filter, ...others },
      req,
      res,
    }) => {
      const { events = type, types = signal_type } = others;
      const range = await rangeOf({ after, order }, feed);
      const part = { ...range, order, limit };
      const wanted = { events, types, signal: signal_id };
      const meets = meetsOf(filter);
      const page = await (meets ? readMeeting(feed, part, { ...wanted, meets }) : feed.read(part, wanted));
      const next_cursor = cursorAt(page.upTo);
      if (page.more) setLinks(req, res, { next: { after: next_cursor } });
      return { data: page.events.map(toFeedEvent), meta: { next_cursor, has_more: page.more } };
    },
    getEvent: async ({ path: { event_id: id } }) => {
      const sequence = await feed.sequenceOf(id);
      const range = sequence !== undefined && { after: sequence - 1, end: sequence, limit: 1 };
      const [event] = range ? (await feed.read(range, {})).events : [];
      if (event === undefined) {
        throw new SigcastError('NOT_FOUND', 'There is no such event, or it is no longer kept');
      }
      return { data: toFeedEvent(event) };
    },
    tryFilter: async ({ body }) => {
      const { filter, ...wanted } = await body();
      return { data: await tryOnNewest(feed, wanted, matcherOfFilter(filter, eventConditionFields)) };
    },
    streamEvents: streamEvents(deps),
  } satisfies Partial<Handlers>;
}

const meetsOf = (conditions: Conditions | undefined) => conditions && matcherOf(conditions);

/** Writes server-sent events. */
function streamEvents(deps: StreamDeps): Handlers['streamEvents'] {
  const { feed, log } = deps;
  return async ({ query: { events, types, filter, last_event_id }, req, res }) => {
    const header = req.get('last-event-id');
    const resumed = header
      ? { cursor: header, field: 'Last-Event-ID' }
      : last_event_id && { cursor: last_event_id, field: 'last_event_id' };
    using slot = deps.streams.enter();
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const signal = AbortSignal.any([slot.signal, gone.signal]);

    using tail = await deps.tail.listen();
    const from = resumed ? await sequenceOfCursor(resumed, feed, await feed.bounds()) : tail.end;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'private, no-cache',
      // Asks nginx and similar proxies not to buffer the answer.
      'X-Accel-Buffering': 'no',
    });
    if (req.method === 'HEAD') {
      res.end();
      return undefined;
    }
    const retryMs = retrySpreadMs.least + retrySpreadMs.more * deps.random();
    const { heartbeatMs } = deps;
    try {
      await writeEventStream(res, {
        feed,
        tail,
        filter: { events, types, meets: meetsOf(filter) },
        from,
        heartbeatMs,
        retryMs,
        signal,
      });
    } catch (err) {
      log.info({ err }, 'stream cut');
      res.destroy();
      return undefined;
    }
    // A client that has not read everything gets the rest when it resumes.
    if (res.writableNeedDrain) res.destroy();
    else res.end();
    return undefined;
  };
}
