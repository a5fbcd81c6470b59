import { z } from 'zod';
import { count, timestamp } from '../members.ts';
import { isUnique } from '../unique.ts';
import { signalTypeListSchema } from './signal.ts';
import { chosenFilter, webhookEventTypeSchema, webhookPayloadSchema } from './webhooks.ts';

/** How long events stay in the feed, in days. */
export const eventsKeptDays = 30;

/** The identifier of an event. */
export const eventIdSchema = z
  .string()
  .regex(/^evt_[0-9A-Za-z]{20,26}$/, 'must be an event identifier')
  .meta({ example: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S' });

/** An event of the feed: its id, then the members of the webhook's body in the same order. */
export const feedEventSchema = z
  .strictObject({
    id: eventIdSchema.describe(
      'The `webhook-id` of its deliveries. Can be passed as `after`, like any cursor.',
    ),
    ...webhookPayloadSchema.shape,
    event: webhookEventTypeSchema.meta({ example: 'signal.winner' }),
  })
  .meta({ id: 'FeedEvent' });
export type FeedEvent = z.infer<typeof feedEventSchema>;

/** `meta` of a page of the feed. */
const feedMetaSchema = z
  .strictObject({
    next_cursor: z
      .string()
      .describe('Pass it back as `after` to read on, now or later. Always present, also at the end.')
      .meta({ example: 'pos_1042' }),
    has_more: z.boolean().describe('Whether more events may exist; false once the end is reached.'),
  })
  .meta({ id: 'EventListMeta' });

/** The answer of `GET /v1/events`. */
export const eventListSchema = z
  .strictObject({
    success: z.literal(true),
    data: z.array(feedEventSchema),
    meta: feedMetaSchema,
  })
  .meta({ id: 'EventList' });

/** The most events that a filter is tried on. */
export const maxTriedEvents = 1_000;

/** Body of `POST /v1/filters/try`. */
export const tryFilterSchema = z
  .strictObject({
    filter: chosenFilter.describe('Conditions, as in `filter` of a webhook.'),
    events: z
      .array(webhookEventTypeSchema)
      .min(1, 'must name at least one event')
      .refine(isUnique, 'must not repeat an event')
      .optional()
      .describe('Only these events; without it, all.')
      .meta({ example: ['signal.new'] }),
    types: signalTypeListSchema
      .optional()
      .describe('Only events of signals of these types; without it, of all.'),
  })
  .meta({ id: 'TryFilter' });

/** What a filter would have let through. */
export const triedFilterSchema = z
  .strictObject({
    matched: count.describe('The events among them whose signal meets the filter.').meta({ example: 37 }),
    tried: count
      .describe(
        `The newest events of these kinds: at most ${maxTriedEvents.toLocaleString('en')}, of the newest 20,000 of all kinds.`,
      )
      .meta({ example: 1_000 }),
    since: timestamp.nullable().describe('When the oldest of them happened; null where there are none.'),
  })
  .meta({ id: 'TriedFilter' });
export type TriedFilter = z.infer<typeof triedFilterSchema>;
