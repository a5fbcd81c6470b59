import { z } from 'zod';
import { count, described, timestamp } from '../members.ts';
import { sentEventTypeSchema } from './webhooks.ts';

/** The statuses of a delivery. A `pending` one has attempts to come. */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** States by which the log can be filtered. `retrying`: pending deliveries that were attempted before. */
export const deliveryStates = ['pending', 'retrying', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

const attemptOutcomeSchema = z.enum([
  'succeeded',
  'bad_status',
  'timeout',
  'connection',
  'refused_address',
  'interrupted',
]);

/** The identifier of a delivery. */
export const deliveryIdSchema = z
  .string()
  .meta({ example: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S.wh_01J9ZR0B2D4F6H8K0M2P4R6T8V' });

/** One HTTP header. */
const httpHeaderSchema = z.strictObject({
  name: z.string().meta({ example: 'content-type' }),
  value: z.string().meta({ example: 'application/json' }),
});
export type HttpHeader = z.infer<typeof httpHeaderSchema>;

/** One try at delivering an event. */
export const deliveryAttemptSchema = z
  .strictObject({
    number: z.int().min(1).describe('From 1.').meta({ example: 1 }),
    started_at: timestamp,
    duration_ms: z.number().min(0).meta({ example: 84 }),
    outcome: attemptOutcomeSchema.describe(
      '`interrupted`: Sigcast stopped in the middle of the attempt; it does not count as a retry.',
    ),
    http_status: z
      .int()
      .nullable()
      .describe('The status your endpoint answered; null without an answer.')
      .meta({ example: 200 }),
    error: z.string().nullable().describe('What went wrong, in words.'),
    response_body: z.string().nullable().describe('The first kB of the answer.').meta({ example: 'ok' }),
    request: z
      .strictObject({
        url: described(z.string(), 'Your address at that time.', 'https://example.com/hooks/sigcast'),
        headers: z.array(httpHeaderSchema),
      })
      .optional()
      .describe(
        'What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent; the ' +
          'secret is in no answer. Absent where nothing was sent.',
      ),
    response_headers: described(
      z.array(httpHeaderSchema).nullable().optional(),
      'The first 32 headers of the answer, at most 4 kB, each value up to 1,000 characters. Values of `Set-Cookie` are not kept. Null where there was no ' +
        'answer.',
    ),
    timings: z
      .strictObject({
        dns_ms: z
          .number()
          .nullable()
          .describe('Until your host name had addresses; null for an IP address.')
          .meta({ example: 2.8 }),
        connect_ms: z.number().nullable().describe('From there to the connection.').meta({ example: 17.9 }),
        tls_ms: described(z.number().nullable(), 'From there to the end of the TLS handshake.', 25.2),
        first_byte_ms: z
          .number()
          .nullable()
          .describe('From there to the end of the headers of your answer.')
          .meta({ example: 36.7 }),
      })
      .optional()
      .describe(
        'How long each step took. Null for a step that was not reached, and for the first three where a connection was ' +
          'used again. Absent where nothing was sent.',
      ),
    address: described(
      z.string().nullable().optional(),
      'The IP address it was sent to; null where there was no connection.',
      '203.0.113.7',
    ),
    batch: z
      .strictObject({
        id: z.string().describe('The `webhook-id`.').meta({ example: 'bat_01J9ZR0B2D4F6H8K0M2P4R6T8V' }),
        events: count.min(1).meta({ example: 40 }),
        first: deliveryIdSchema.describe('Only this delivery’s attempt has what was sent and answered.'),
      })
      .optional()
      .describe('Several events were sent together, this one among them. Absent where it was sent alone.'),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof deliveryAttemptSchema>;

/** The outcome of an attempt, in short. */
const attemptSummaryFields = {
  started_at: timestamp,
  outcome: attemptOutcomeSchema,
  http_status: z
    .int()
    .nullable()
    .describe('The status your endpoint answered; null without an answer.')
    .meta({ example: 200 }),
  error: z.string().nullable().describe('What went wrong, in words.'),
};
/** The number of last attempts that tell how a webhook does. */
export const recentAttempts = 50;

const timedAttemptSchema = z.strictObject({
  ...attemptSummaryFields,
  duration_ms: z.number().min(0).meta({ example: 84 }),
});

/** One event on its way to one subscription. */
export const deliverySchema = z
  .strictObject({
    id: deliveryIdSchema,
    event_id: described(
      z.string(),
      'The `webhook-id` of every attempt, unless it was sent in a batch.',
      'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S',
    ),
    event: sentEventTypeSchema,
    signal_id: z
      .string()
      .nullable()
      .describe('Null where the event is not about a signal, and for a test.')
      .meta({ example: 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z' }),
    symbol: z
      .string()
      .nullable()
      .optional()
      .describe('The symbol of that signal’s token; null where `signal_id` is null.')
      .meta({ example: 'NOVA' }),
    status: z
      .enum(deliveryStatuses)
      .describe('`pending` while attempts are planned; `failed` after the last attempt.')
      .meta({ example: 'delivered' }),
    attempt_count: count.meta({ example: 1 }),
    next_attempt_at: described(
      timestamp.nullable(),
      'Null when no attempt is planned. While the webhook is disabled, the time moves on and nothing is sent.',
    ),
    last_attempt: described(
      timedAttemptSchema.nullable().optional(),
      'The outcome of the newest attempt; null before the first.',
    ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof deliverySchema>;

/** A delivery with every attempt made so far. */
export const deliveryDetailSchema = deliverySchema
  .extend({
    body: described(
      z.string().nullable().optional(),
      'The bytes that every attempt sends; of a batch, one entry, which also has the `id`. Null when the event is no longer kept.',
    ),
    attempts: z.array(deliveryAttemptSchema).describe('The last 100, oldest first.'),
  })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;

const successRate = z.number().min(0).max(100).nullable().describe('Percent; null where there were none.');

/** The health of a subscription, counted from its log. */
export const webhookHealthSchema = z
  .strictObject({
    last_24_hours: z
      .strictObject({
        since: timestamp.describe(
          '24 hours ago; later where more than 10,000 deliveries were made since then.',
        ),
        delivered: count.meta({ example: 998 }),
        failed: count.describe('Those that failed with all their retries.').meta({ example: 2 }),
        success_rate: successRate.meta({ example: 99.8 }),
      })
      .describe('Deliveries made in that time which have ended.'),
    last_attempts: z
      .strictObject({
        attempts: count.max(recentAttempts).meta({ example: 50 }),
        succeeded: count.max(recentAttempts).meta({ example: 49 }),
        success_rate: successRate.meta({ example: 98 }),
        results: z.array(timedAttemptSchema).describe('These attempts, the newest first.'),
      })
      .describe(
        `The last ${recentAttempts} attempts, of the ${recentAttempts} newest deliveries that were attempted. Zero where 2,000 newer deliveries wait for their first attempt.`,
      ),
    last_error: described(
      z.strictObject({ delivery_id: deliveryIdSchema, ...attemptSummaryFields }).nullable(),
      'The newest failed attempt, among the last attempts and the newest deliveries that failed or are retried.',
      {
        delivery_id: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S.wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
        started_at: '2026-01-01T12:00:00.000Z',
        outcome: 'bad_status',
        http_status: 503,
        error: 'answered with status 503',
      },
    ),
    waiting: count
      .describe('Deliveries that wait for their first attempt; 10,000 stands for 10,000 or more.')
      .meta({ example: 0 }),
    retrying: described(
      count,
      'Deliveries that were attempted and wait for another attempt: `status=retrying` of the log. 10,000 stands for ' +
        '10,000 or more. Together with `waiting`: `status=pending`.',
      1,
    ),
    failed: described(count, '`status=failed` of the log; 10,000 stands for 10,000 or more.', 2),
  })
  .meta({ id: 'WebhookHealth' });
export type WebhookHealth = z.infer<typeof webhookHealthSchema>;
