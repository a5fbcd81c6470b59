import {
  eventsKeptDays,
  type FeedEvent,
  invalidRequest,
  type SignalType,
  type WebhookEventType,
} from '@sigcast/contracts';

/**
 * An event at its place in the feed. Places are numbered 1, 2, 3 …: number n + 1 is only ever given when n exists,
 * so who has read up to n has everything that will ever stand before it.
 */
export type PlacedEvent = {
  readonly seq: number;
  readonly id: string;
  readonly type: WebhookEventType;
  readonly signalType: SignalType;
  /** The exact body its subscribers get. */
  readonly body: string;
};

/** Which events a reader wants; all where it does not say. */
export type FeedFilter = {
  readonly events?: readonly WebhookEventType[] | undefined;
  readonly types?: readonly SignalType[] | undefined;
};

/** What of the feed a list shows. */
export type ListFilter = FeedFilter & {
  /** The signal whose events are wanted. */
  readonly signal?: string | undefined;
};

/** Events in order, and the place up to which the reader has now seen everything it wants. */
export type FeedPart = {
  readonly events: readonly PlacedEvent[];
  readonly upTo: number;
};

/** A page of the feed; `more` when something may follow already. */
export type FeedPage = FeedPart & { readonly more: boolean };

/** The kept part of the feed lies behind place `start`, up to place `end`. */
export type FeedBounds = { readonly start: number; readonly end: number };

/** Where events can be read in their order. */
export type EventFeed = {
  bounds(): Promise<FeedBounds>;
  /** The place of an event; undefined when it is not in the feed, or not any more. */
  placeOf(eventId: string): Promise<number | undefined>;
  /** Events behind `after`, at most up to place `end`, which must exist or have existed. */
  read(after: number, end: number, filter: ListFilter, limit: number): Promise<FeedPage>;
  /** Whatever stands behind `after` by now. */
  readNew(after: number, limit: number): Promise<FeedPart>;
};

/** Whether a reader wants an event. */
export function passes({ type, signalType }: PlacedEvent, { events, types }: FeedFilter): boolean {
  return (events?.includes(type) ?? true) && (types?.includes(signalType) ?? true);
}

const placeCursor = /^pos_(0|[1-9]\d{0,14})$/;
const eventCursor = /^evt_[0-9A-Za-z]{20,26}$/;

/** The cursor that goes on behind a place. */
export function cursorAt(place: number): string {
  return `pos_${place}`;
}

/**
 * The place a client's cursor stands for: a place's own cursor, an event's id, or `latest`.
 * @throws {SigcastError} INVALID_REQUEST on `field` when it is none of these, or when events behind it are gone.
 */
export async function placeOfCursor(
  { cursor, field }: { readonly cursor: string; readonly field: string },
  feed: EventFeed,
  { start, end }: FeedBounds,
): Promise<number> {
  const refuse = (message: string) => invalidRequest([{ field, message }]);
  if (cursor === 'latest') return end;
  if (eventCursor.test(cursor)) {
    const place = await feed.placeOf(cursor);
    if (place === undefined) throw refuse(`is the id of no event of the last ${eventsKeptDays} days`);
    return place;
  }
  const digits = placeCursor.exec(cursor)?.[1];
  const place = Number(digits);
  if (digits === undefined || place > end) {
    throw refuse('must be a cursor from an earlier answer, the id of an event, or latest');
  }
  if (place < start) {
    throw refuse(
      `is followed by events older than ${eventsKeptDays} days, which are gone; leave it out to begin at the oldest kept`,
    );
  }
  return place;
}

/** An event as the feed lists it. */
export function toFeedEvent({ id, body }: PlacedEvent): FeedEvent {
  return { id, ...(JSON.parse(body) as Omit<FeedEvent, 'id'>) };
}
