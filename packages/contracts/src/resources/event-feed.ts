import { z } from 'zod';
import { webhookEventTypeSchema, webhookPayloadSchema } from './webhooks.ts';

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
    event: webhookEventTypeSchema,
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
