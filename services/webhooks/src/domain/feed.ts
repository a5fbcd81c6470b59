import {
  eventsKeptDays,
  type FeedEvent,
  invalidRequest,
  maxTriedEvents,
  type SignalAtEvent,
  type SignalType,
  type TriedFilter,
  type WebhookEventType,
  type WebhookPayload,
} from '@sigcast/contracts';

/**
 * An event with its sequence number in the feed: 1, 2, 3 …. Number n + 1 is given only when n exists, so a reader that has
 * read up to n has missed nothing before it.
 */
export type FeedEntry = {
  readonly sequence: number;
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalType: SignalType;
  /** The exact body its subscribers get. */
  readonly body: string;
};

/** Which events a reader wants; an absent member admits all. */
export type FeedFilter = {
  readonly events?: readonly WebhookEventType[] | undefined;
  readonly types?: readonly SignalType[] | undefined;
};

/** Whether the signal of an event meets conditions. */
export type Meets = (signal: SignalAtEvent) => boolean;

/** Which events a list shows. */
export type ListFilter = FeedFilter & {
  /** Only events about this signal. */
  readonly signal?: string | undefined;
  /** Only events that happened at this instant or later. */
  readonly since?: Date | undefined;
};

/** `asc`: oldest first. `desc`: newest first. */
export type FeedOrder = 'asc' | 'desc';

/** Events in order, and the sequence number behind which (`desc`: up to which) the reader has yet to read. */
export type FeedSlice = {
  readonly events: readonly FeedEntry[];
  readonly upTo: number;
};

/** A page of the feed. `more`: whether events may follow it already. */
type FeedPage = FeedSlice & { readonly more: boolean };

/** The stored part of the feed: the sequence numbers behind `start`, up to `end`. */
type FeedBounds = { readonly start: number; readonly end: number };

/** A part of the feed: the events behind `after`, up to `end`, which must be or have been a sequence number of the feed. */
type FeedRange = { readonly after: number; readonly end: number };

/** Where events are read in the feed's order. */
export type EventFeed = {
  bounds(): Promise<FeedBounds>;
  /** The sequence number of an event; undefined when it is not in the feed, or no longer. */
  sequenceOf(eventId: string): Promise<number | undefined>;
  read(
    part: FeedRange & { readonly limit: number; readonly order?: FeedOrder },
    filter: ListFilter,
  ): Promise<FeedPage>;
  /** The events behind `after` that are stored by now. */
  readNew(after: number, limit: number): Promise<FeedSlice>;
};

/** Whether a reader wants an event. */
export function matchesFilter(
  event: FeedEntry,
  { events, types, meets }: FeedFilter & { readonly meets?: Meets | undefined },
): boolean {
  return (
    (events?.includes(event.type) ?? true) &&
    (types?.includes(event.signalType) ?? true) &&
    (meets?.(signalOf(event)) ?? true)
  );
}

const signals = new WeakMap<FeedEntry, SignalAtEvent>();

/** The signal right after an event. The body is read once, however many streams have a filter. */
export function signalOf(event: FeedEntry): SignalAtEvent {
  const signal = signals.get(event) ?? (JSON.parse(event.body) as WebhookPayload).data;
  signals.set(event, signal);
  return signal;
}

/** Events that are read at once for conditions, and how often at most for one page. */
const examined = { atOnce: 200, times: 10 };

/**
 * Reads events whose signals meet conditions: until there are `limit` of them, or many were examined. The page says how far it
 * came, also where nothing met the conditions.
 */
export async function readMeeting(
  feed: Pick<EventFeed, 'read'>,
  { after, end, limit, order }: FeedRange & { readonly limit: number; readonly order: FeedOrder },
  { meets, ...filter }: ListFilter & { readonly meets: Meets },
): Promise<FeedPage> {
  const events: FeedEntry[] = [];
  let [start, stop] = [after, end];
  for (let times = 1; ; times++) {
    const page = await feed.read({ after: start, end: stop, limit: examined.atOnce, order }, filter);
    for (const event of page.events) {
      if (!meets(signalOf(event))) continue;
      events.push(event);
      if (events.length < limit) continue;
      const upTo = order === 'asc' ? event.sequence : event.sequence - 1;
      return { events, upTo, more: order === 'asc' ? upTo < end : upTo > after };
    }
    // A page that is not full has scanned as much as a read may.
    const isEnough = times === examined.times || page.events.length < examined.atOnce;
    if (!page.more || isEnough) return { events, upTo: page.upTo, more: page.more };
    if (order === 'asc') start = page.upTo;
    else stop = page.upTo;
  }
}

const sequenceCursor = /^pos_(0|[1-9]\d{0,14})$/;
const eventCursor = /^evt_[0-9A-Za-z]{20,26}$/;

/** The cursor of the events behind a sequence number. */
export function cursorAt(sequence: number): string {
  return `pos_${sequence}`;
}

/**
 * The sequence number of a client's cursor, which is a cursor of {@link cursorAt}, the id of an event, or `latest`.
 * @throws {SigcastError} INVALID_REQUEST on `field` for any other text, and when events behind the cursor are no longer
 * stored.
 */
export async function sequenceOfCursor(
  { cursor, field }: { readonly cursor: string; readonly field: string },
  feed: EventFeed,
  { start, end }: FeedBounds,
): Promise<number> {
  const refuse = (message: string) => invalidRequest([{ field, message }]);
  if (cursor === 'latest') return end;
  if (eventCursor.test(cursor)) {
    const sequence = await feed.sequenceOf(cursor);
    if (sequence === undefined) throw refuse(`is the id of no event of the last ${eventsKeptDays} days`);
    return sequence;
  }
  const digits = sequenceCursor.exec(cursor)?.[1];
  const sequence = Number(digits);
  if (digits === undefined || sequence > end) {
    throw refuse('must be a cursor from an earlier answer, the id of an event, or latest');
  }
  if (sequence < start) {
    throw refuse(
      `is followed by events older than ${eventsKeptDays} days, which are gone; leave it out to begin at the oldest kept`,
    );
  }
  return sequence;
}

/**
 * What a list reads on from a client's cursor: newer events, or with `desc` older ones.
 * @throws {SigcastError} as {@link sequenceOfCursor} does; a list of older events ends where the feed begins.
 */
export async function rangeOf(
  { after, order }: { readonly after?: string | undefined; readonly order: FeedOrder },
  feed: EventFeed,
): Promise<FeedRange> {
  const { start, end } = await feed.bounds();
  if (after === undefined) return { after: start, end };
  const cursor = { cursor: after, field: 'after' };
  if (order === 'asc') return { after: await sequenceOfCursor(cursor, feed, { start, end }), end };
  const sequence = await sequenceOfCursor(cursor, feed, { start: 0, end });
  // The client has the event whose id it gives.
  return { after: start, end: eventCursor.test(after) ? sequence - 1 : sequence };
}

/** Tries conditions on the newest events that a filter without them admits. */
export async function tryOnNewest(feed: EventFeed, filter: FeedFilter, meets: Meets): Promise<TriedFilter> {
  const { start, end } = await feed.bounds();
  const newest = { after: start, end, limit: maxTriedEvents, order: 'desc' } as const;
  const { events } = await feed.read(newest, filter);
  const oldest = events.at(-1);
  return {
    matched: events.filter((event) => meets(signalOf(event))).length,
    tried: events.length,
    since: oldest === undefined ? null : toFeedEvent(oldest).timestamp,
  };
}

/** An event as its account sees it. */
export function toFeedEvent({ id, body }: FeedEntry): FeedEvent {
  return { id, ...(JSON.parse(body) as Omit<FeedEvent, 'id'>) };
}
