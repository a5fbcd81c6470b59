import type { Page } from './answer.ts';
import { type OneOrMore, queryString } from './query.ts';
import type { SignalType } from './signals.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { SignalEventName, SignalEventPayload } from './webhook.ts';

/** An event as subscribers get it. `event` is its type. */
export type SignalEvent = SignalEventPayload & {
  /** The `webhook-id` of its deliveries; the feed and the stream go on after it. */
  readonly id: string;
};

export type EventsMeta = {
  /** The cursor after this page, also at the end: keep it, and continue from it later. */
  readonly next_cursor: string;
  /** Whether more events may exist already. */
  readonly has_more: boolean;
};

export type EventsQuery = {
  /**
   * `meta.next_cursor` of an earlier answer, the id of an event, or `latest` for what happens from now on. Default: from the
   * oldest event that is kept (30 days), or with `desc` from the newest.
   */
  readonly after?: string;
  /** `asc`, oldest first, or `desc`, newest first. Default: `asc`. */
  readonly order?: 'asc' | 'desc';
  /** Only these events. */
  readonly events?: OneOrMore<SignalEventName>;
  /** Only events of signals of these types. */
  readonly types?: OneOrMore<SignalType>;
  /** Only events of this signal. */
  readonly signal_id?: string;
  /** Events per page, 1 to 100. Default: 20. */
  readonly limit?: number;
};

/** `sigcast.events`: all events in order, without a gap. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The events after a cursor. */
  list(query: EventsQuery = {}, options?: CallOptions): Promise<Page<SignalEvent, EventsMeta>> {
    const path = `/v1/events${queryString(query)}`;
    return this.#transport.send<readonly SignalEvent[], EventsMeta>({ method: 'GET', path }, options);
  }

  /** Every event after a cursor, to the end of the list. One request for each `limit` events (default 100). */
  async *iterate(
    { limit = 100, ...query }: EventsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<SignalEvent, void, undefined> {
    let page: Page<SignalEvent, EventsMeta> | undefined;
    do {
      // With a filter, a page may be empty although more pages follow.
      page = await this.list({ ...query, limit, ...(page && { after: page.meta.next_cursor }) }, options);
      yield* page.data;
    } while (page.meta.has_more);
  }
}
