import { z } from 'zod';
import { instantSchema } from './instant.ts';
import { signalDetailSchema, signalTypeSchema } from './signal.ts';
import { plainText } from './text.ts';

/** The events of signals that an account can subscribe to, and read in the feed. */
export const webhookEventTypes = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged'] as const;
export const webhookEventTypeSchema = z.enum(
  webhookEventTypes,
  `must be one of ${webhookEventTypes.join(', ')}`,
);
export type WebhookEventType = z.infer<typeof webhookEventTypeSchema>;

/** Events about a subscription, for the account's other subscriptions. They have no place in the feed. */
export const webhookStateEvents = ['webhook.failing', 'webhook.disabled'] as const;
export type WebhookStateEvent = (typeof webhookStateEvents)[number];

/** Everything a subscription can ask for by name. */
export const subscribableEvents = [...webhookEventTypes, ...webhookStateEvents] as const;
export const subscribableEventSchema = z.enum(
  subscribableEvents,
  `must be one of ${subscribableEvents.join(', ')}`,
);
export type SubscribableEvent = z.infer<typeof subscribableEventSchema>;

export const webhookIdSchema = z.string().regex(/^wh_[0-9A-Za-z]{20,26}$/, 'must be a webhook identifier');

const unique = (list: readonly string[]) => new Set(list).size === list.length;

const chosenUrl = z
  .string()
  .min(1)
  .max(2000)
  .describe('Where events are sent: an https address that the internet reaches.');
const chosenEvents = z
  .array(subscribableEventSchema)
  .min(1, 'must name at least one event')
  .refine(unique, 'must not repeat an event')
  .describe(
    '`webhook.failing` and `webhook.disabled` are about your other subscriptions: one has failed for a day, or was disabled by us.',
  );
const chosenTypes = z
  .array(signalTypeSchema)
  .min(1, 'must name at least one type, or be left out for all types')
  .refine(unique, 'must not repeat a type');
const chosenOrder = z.boolean();
const orderedMeans =
  'One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has failed with ' +
  'all its retries.';
const chosenDescription = plainText(500);

/** Body of `POST /v1/webhooks`. Absent `types` means all types. */
export const createWebhookSchema = z.strictObject({
  url: chosenUrl,
  events: chosenEvents,
  types: chosenTypes
    .optional()
    .describe(
      'Only events of signals of these kinds; all kinds where it is left out. Other events come anyway.',
    ),
  ordered: chosenOrder.optional().describe(`${orderedMeans} False where it is left out.`),
  description: chosenDescription.optional().describe('For yourself.'),
});
export type CreateWebhook = z.infer<typeof createWebhookSchema>;

export const webhookStatuses = ['enabled', 'disabled'] as const;

/** Body of `PATCH /v1/webhooks/{id}`. What is absent stays as it is. */
export const updateWebhookSchema = z.strictObject({
  url: chosenUrl.optional(),
  events: chosenEvents.optional(),
  types: chosenTypes.optional().describe('Only events of signals of these kinds.'),
  ordered: chosenOrder.optional().describe(orderedMeans),
  description: chosenDescription.nullable().optional().describe('For yourself; null for none.'),
  status: z
    .enum(webhookStatuses, 'must be enabled or disabled')
    .optional()
    .describe('`disabled` pauses: nothing is sent. `enabled` goes on.'),
});
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>;

/** How a recovery goes. */
const recoveryFields = {
  since: z.iso.datetime({ offset: true }),
  status: z
    .enum(['running', 'completed'])
    .describe('`running`: it goes on by itself; the figures grow, and `GET /v1/webhooks/{id}` shows them.'),
  retried: z.int().min(0).describe('Failed deliveries that are due again.'),
  opened: z.int().min(0).describe('Deliveries made of events that never had one.'),
  requested_at: z.iso.datetime({ offset: true }),
  completed_at: z.iso.datetime({ offset: true }).nullable(),
};

/** A recovery: everything a subscription did not get since an instant is on its way again. */
export const recoverySchema = z.strictObject(recoveryFields);
export type Recovery = z.infer<typeof recoverySchema>;

/** Body of `POST /v1/webhooks/{id}/recover`. */
export const recoverWebhookSchema = z.strictObject({
  since: instantSchema.meta({
    description: 'From this instant on, at most 30 days back. A bare date means 00:00 UTC of that day.',
    ...{ type: 'string', format: 'date-time' },
  }),
});
export type RecoverWebhook = z.infer<typeof recoverWebhookSchema>;

/** A subscription as its account sees it. */
export const webhookSchema = z.strictObject({
  id: webhookIdSchema,
  url: z.string(),
  proven: z
    .boolean()
    .describe('Whether the address has answered 200 once. Until then it gets one request at a time.'),
  events: z.array(subscribableEventSchema),
  types: z
    .array(signalTypeSchema)
    .describe('The signal types it is restricted to; all six where none were named.'),
  ordered: z.boolean().describe(orderedMeans),
  status: z.enum(webhookStatuses).describe('While `disabled`, events are kept but not sent.'),
  disabled_reason: z
    .enum(['paused', 'failing', 'gone'])
    .nullable()
    .describe(
      '`paused` by you; `failing`: every delivery failed for 3 days; `gone`: it answered 410. Null while enabled.',
    ),
  disabled_at: z.iso.datetime({ offset: true }).nullable(),
  failing_since: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('Since when every delivery has failed; null while it is not so, or it is disabled.'),
  disables_at: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('When it will be disabled unless a delivery succeeds; null beside `failing_since` null.'),
  description: z.string().nullable(),
  previous_secret_expires_at: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('Until then, secrets replaced by a rotation sign too. Null when only the present one does.'),
  recovery: recoverySchema.nullable().describe('The last one asked for.'),
  created_at: z.iso.datetime({ offset: true }),
  updated_at: z.iso.datetime({ offset: true }),
});
export type Webhook = z.infer<typeof webhookSchema>;

/** A subscription just made: the only time its signing secret is shown. */
export const createdWebhookSchema = webhookSchema.extend({
  secret: z.string().describe('Signing secret, `whsec_` and base64 (Standard Webhooks). Shown only once.'),
});
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;

/** The answer to a deletion. */
export const deletedWebhookSchema = z.strictObject({ id: webhookIdSchema, deleted: z.literal(true) });

/** The event that `POST /v1/webhooks/{id}/test` sends. Nobody subscribes to it. */
export const webhookTestEvent = 'webhook.test';
/** Everything that is ever sent to a subscription. */
export const sentEventTypes = [...subscribableEvents, webhookTestEvent] as const;
export const sentEventTypeSchema = z.enum(sentEventTypes, `must be one of ${sentEventTypes.join(', ')}`);
export type SentEventType = z.infer<typeof sentEventTypeSchema>;

/** What is sent to a subscription's address about a signal: the signal as it was right after the event. */
export const webhookPayloadSchema = z.strictObject({
  event: z.enum([...webhookEventTypes, webhookTestEvent]),
  timestamp: z.iso.datetime({ offset: true }).describe('When it happened.'),
  data: signalDetailSchema.omit({ updated_at: true }),
});
export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

/** What is sent about another subscription of the account. */
export const webhookStatePayloadSchema = z.strictObject({
  event: z.enum(webhookStateEvents),
  timestamp: z.iso.datetime({ offset: true }).describe('When it was noticed.'),
  data: webhookSchema
    .pick({ id: true, url: true, description: true, failing_since: true, disables_at: true })
    .extend({
      disabled_reason: z.enum(['failing', 'gone']).nullable().describe('Null for `webhook.failing`.'),
    }),
});
export type WebhookStatePayload = z.infer<typeof webhookStatePayloadSchema>;

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** What the log can be asked for: `retrying` are those of `pending` that were attempted before. */
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

/** One HTTP header. */
export const httpHeaderSchema = z.strictObject({ name: z.string(), value: z.string() });
export type HttpHeader = z.infer<typeof httpHeaderSchema>;

/** One try at delivering an event. */
export const deliveryAttemptSchema = z.strictObject({
  number: z.int().min(1).describe('From 1.'),
  started_at: z.iso.datetime({ offset: true }),
  duration_ms: z.number().min(0),
  outcome: attemptOutcomeSchema.describe(
    '`interrupted`: we stopped in the middle of it; it does not count as a retry.',
  ),
  http_status: z.int().nullable().describe('What your endpoint answered; null where it did not.'),
  error: z.string().nullable().describe('What went wrong, in words.'),
  response_body: z.string().nullable().describe('The first kB of the answer.'),
  request: z
    .strictObject({
      url: z.string().describe('Your address at that time.'),
      headers: z.array(httpHeaderSchema),
    })
    .optional()
    .describe(
      'What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent; the ' +
        'secret is in no answer. Absent where nothing was sent, and from attempts before this was kept.',
    ),
  response_headers: z
    .array(httpHeaderSchema)
    .nullable()
    .optional()
    .describe(
      'The first 32 headers of the answer, at most 4 kB. Values of `Set-Cookie` are not kept. Null where there was no ' +
        'answer; absent from attempts before this was kept.',
    ),
  timings: z
    .strictObject({
      dns_ms: z.number().nullable().describe('Until your host name had addresses; null for an IP address.'),
      connect_ms: z.number().nullable().describe('From there to the connection.'),
      tls_ms: z.number().nullable().describe('From there to the end of the TLS handshake.'),
      first_byte_ms: z.number().nullable().describe('From there to the status line of your answer.'),
    })
    .optional()
    .describe(
      'What the time went into; null for each part that it did not come to, and for the first three where a ' +
        'connection was used again. Absent where nothing was sent.',
    ),
  address: z
    .string()
    .nullable()
    .optional()
    .describe('The IP address it was sent to; null where there was no connection.'),
});
export type DeliveryAttempt = z.infer<typeof deliveryAttemptSchema>;

/** What an attempt came to, in short. */
const attemptSummaryFields = {
  started_at: z.iso.datetime({ offset: true }),
  outcome: attemptOutcomeSchema,
  http_status: z.int().nullable().describe('What your endpoint answered; null where it did not.'),
  error: z.string().nullable().describe('What went wrong, in words.'),
};

/** One event on its way to one subscription. */
export const deliverySchema = z.strictObject({
  id: z.string(),
  event_id: z.string().describe('The `webhook-id` of every attempt.'),
  event: sentEventTypeSchema,
  signal_id: z.string().nullable().describe('Null where the event is not about a signal, and for a test.'),
  status: z
    .enum(deliveryStatuses)
    .describe('`pending` while attempts are still to be made; `failed` after the last one.'),
  attempt_count: z.int().min(0),
  next_attempt_at: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe(
      'Null when there will be none. While the webhook is disabled it moves on, and nothing is sent.',
    ),
  last_attempt: z
    .strictObject(attemptSummaryFields)
    .nullable()
    .optional()
    .describe('What the newest attempt came to; null before the first.'),
  created_at: z.iso.datetime({ offset: true }),
  updated_at: z.iso.datetime({ offset: true }),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** A delivery with every attempt made so far. */
export const deliveryDetailSchema = deliverySchema.extend({
  body: z
    .string()
    .nullable()
    .optional()
    .describe('The bytes that every attempt sends. Null when the event is no longer kept.'),
  attempts: z.array(deliveryAttemptSchema).describe('The last 100, oldest first.'),
});
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;

const successRate = z.number().min(0).max(100).nullable().describe('Percent; null where there were none.');

/** How a subscription is doing, counted from its log. */
export const webhookHealthSchema = z.strictObject({
  last_24_hours: z
    .strictObject({
      since: z.iso
        .datetime({ offset: true })
        .describe('24 hours ago; later where more than 10,000 deliveries were made since then.'),
      delivered: z.int().min(0),
      failed: z.int().min(0).describe('Those that failed with all their retries.'),
      success_rate: successRate,
    })
    .describe('Deliveries made in that time which have ended.'),
  last_attempts: z
    .strictObject({
      attempts: z.int().min(0).max(100),
      succeeded: z.int().min(0).max(100),
      success_rate: successRate,
    })
    .describe('The last 100 attempts, of the 100 newest deliveries that were attempted.'),
  last_error: z
    .strictObject({ delivery_id: z.string(), ...attemptSummaryFields })
    .nullable()
    .describe(
      'The newest attempt that failed, among those and the newest deliveries that failed or are retried.',
    ),
  waiting: z
    .int()
    .min(0)
    .describe('Deliveries that wait for their first attempt; as many or more at 10,000.'),
  retrying: z
    .int()
    .min(0)
    .describe(
      'Deliveries that were attempted and wait for another attempt: `status=retrying` of the log. As many or more at ' +
        '10,000. Together with `waiting`: `status=pending`.',
    ),
  failed: z.int().min(0).describe('`status=failed` of the log; as many or more at 10,000.'),
});
export type WebhookHealth = z.infer<typeof webhookHealthSchema>;
