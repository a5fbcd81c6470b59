import type { Page } from './answer.ts';
import { type OneOrMore, queryString } from './query.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { SignalEventPayload, WebhookEvent } from './webhook.ts';

/** An event as subscribers get it; `id` is the `webhook-id` of its deliveries. */
export type FeedEvent = SignalEventPayload & { readonly id: string };

export type FeedMeta = {
  /** For what follows, also when nothing does yet: keep it, and go on from it later. */
  readonly next_cursor: string | null;
  readonly has_more: boolean;
};

export type EventsQuery = {
  /** `meta.next_cursor` of an earlier answer; the oldest event kept (30 days) where it is left out. */
  readonly after?: string;
  /** Only these events. */
  readonly type?: OneOrMore<WebhookEvent>;
  readonly limit?: number;
};

/** `sigcast.events`: what was sent to subscribers, in order and without a gap. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The events after a cursor, oldest first. */
  list(query: EventsQuery = {}, options?: CallOptions): Promise<Page<FeedEvent, FeedMeta>> {
    const path = `/v1/events${queryString(query)}`;
    return this.#transport.send<readonly FeedEvent[], FeedMeta>({ method: 'GET', path }, options);
  }

  /** Every event after a cursor, oldest first, up to the newest there is. A request per `limit` events. */
  async *iterate(
    { limit = 100, after, type }: EventsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<FeedEvent, void, undefined> {
    let cursor: string | null | undefined = after;
    for (;;) {
      const query = { limit, ...(type !== undefined && { type }), ...(cursor && { after: cursor }) };
      const page: Page<FeedEvent, FeedMeta> = await this.list(query, options);
      yield* page.data;
      cursor = page.meta.next_cursor;
      if (!page.meta.has_more || cursor === null) return;
    }
  }
}
