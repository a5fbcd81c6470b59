import { listEventsQuerySchema } from '@sigcast/contracts';
import { parseQuery, setLinks } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { cursorAt, type EventFeed, sequenceOfCursor, toFeedEvent } from '../domain/feed.ts';

/** `GET /v1/events`, oldest first. */
export function listEvents(feed: EventFeed): RequestHandler {
  return async (req, res) => {
    const { after, type, signal_type, signal_id, limit } = parseQuery(listEventsQuerySchema, req);
    const bounds = await feed.bounds();
    const from =
      after === undefined
        ? bounds.start
        : await sequenceOfCursor({ cursor: after, field: 'after' }, feed, bounds);
    const filter = { events: type, types: signal_type, signal: signal_id };
    const { events, upTo, more } = await feed.read({ after: from, end: bounds.end, limit }, filter);
    const next_cursor = cursorAt(upTo);
    if (more) setLinks(req, res, { next: { after: next_cursor } });
    res.json({
      success: true,
      data: events.map(toFeedEvent),
      meta: { next_cursor, has_more: more },
    });
  };
}
