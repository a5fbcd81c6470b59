import { listEventsQuerySchema } from '@sigcast/contracts';
import { parseQuery, setLinks } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { cursorAt, type EventFeed, rangeOf, toFeedEvent } from '../domain/feed.ts';

/** `GET /v1/events` */
export function listEvents(feed: EventFeed): RequestHandler {
  return async (req, res) => {
    const { after, order, type, signal_type, signal_id, limit, ...filter } = parseQuery(
      listEventsQuerySchema,
      req,
    );
    const { events = type, types = signal_type } = filter;
    const range = await rangeOf({ after, order }, feed);
    const page = await feed.read({ ...range, order, limit }, { events, types, signal: signal_id });
    const next_cursor = cursorAt(page.upTo);
    if (page.more) setLinks(req, res, { next: { after: next_cursor } });
    res.json({
      success: true,
      data: page.events.map(toFeedEvent),
      meta: { next_cursor, has_more: page.more },
    });
  };
}
