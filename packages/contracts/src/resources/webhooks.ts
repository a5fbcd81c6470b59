import { z } from 'zod';
import { eventConditionFields, filterOf, filterSchema } from '../conditions/signal-conditions.ts';
import { describedInstant } from '../instant.ts';
import { count, described, oneOf, timestamp } from '../members.ts';
import { plainText } from '../text.ts';
import { isUnique } from '../unique.ts';
import { signalAtEventSchema, signalTypeListSchema, signalTypeSchema } from './signal.ts';

/** The events of signals that an account can subscribe to, and read in the feed. */
export const webhookEventTypes = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged'] as const;
/** One event of {@link webhookEventTypes}. */
export const webhookEventTypeSchema = oneOf(webhookEventTypes).meta({ id: 'WebhookEventType' });
export type WebhookEventType = z.infer<typeof webhookEventTypeSchema>;

/** Events about a subscription, which the account's other subscriptions get. They are not in the feed. */
export const webhookStateEvents = ['webhook.failing', 'webhook.disabled'] as const;
export type WebhookStateEvent = (typeof webhookStateEvents)[number];

/** All events that a subscription can select. */
const subscribableEvents = [...webhookEventTypes, ...webhookStateEvents] as const;
/** One event that a subscription can select. */
export const subscribableEventSchema = oneOf(subscribableEvents).meta({ id: 'SubscribableEvent' });
export type SubscribableEvent = z.infer<typeof subscribableEventSchema>;

/** The identifier of a subscription. */
export const webhookIdSchema = z
  .string()
  .regex(/^wh_[0-9A-Za-z]{20,26}$/, 'must be a webhook identifier')
  .meta({ example: 'wh_01J9ZR0B2D4F6H8K0M2P4R6T8V' });

/** Where events are sent to: an address of a program, or a chat where people read them. */
export const webhookKinds = ['webhook', 'slack', 'discord', 'telegram'] as const;
export type WebhookKind = (typeof webhookKinds)[number];
/** A kind that is a chat. */
export type ChatKind = Exclude<WebhookKind, 'webhook'>;
const chosenKind = oneOf(webhookKinds).meta({ id: 'WebhookKind' });

/** How much a message in a chat says. */
export const chatTemplates = ['compact', 'standard', 'detailed'] as const;
const chosenTemplate = oneOf(chatTemplates).meta({ id: 'ChatTemplate' });
export type ChatTemplate = z.infer<typeof chosenTemplate>;
const templateMeans = 'How much a message in a chat says.';

const chatId = z
  .union([z.int(), z.string().regex(/^@[A-Za-z]\w{3,31}$/)], 'must be a number, or a name such as @channel')
  .describe('The chat: its number, or the name of a public channel or group, such as `@channel`.')
  .meta({ example: -1001234567890 });
const threadId = z.int().min(1);
const chosenTelegram = z
  .strictObject({
    bot_token: described(
      z.string().regex(/^\d{5,20}:[\w-]{30,60}$/, 'must be the token that @BotFather gave you'),
      'The token that @BotFather gave you for your bot. It is never shown again.',
      '123456789:AAExampleExampleExampleExampleExample',
    ),
    chat_id: chatId,
    message_thread_id: threadId.optional().describe('A topic of the chat.'),
  })
  .meta({ id: 'TelegramDestination' });
export type TelegramDestination = z.infer<typeof chosenTelegram>;
const telegramChat = z
  .strictObject({ chat_id: chatId, message_thread_id: threadId.nullable().describe('A topic of the chat.') })
  .meta({ id: 'TelegramChat' });
/** A chat of Telegram, without its token. */
export type TelegramChat = z.infer<typeof telegramChat>;
const telegramMeans = 'Only for `telegram`: the bot, which has to be a member of the chat, and the chat.';

const chosenUrl = described(
  z.string().min(1).max(2000),
  'Where events are sent: an https address that is reachable from the internet, with port 443 or 8443. The operator of a ' +
    'server may permit more: http with port 80 or 8080, and further ports. For `slack` and `discord`, the address of the ' +
    'incoming webhook that they gave you; for `telegram` it is left out.',
  'https://example.com/hooks/sigcast',
);
const chosenEvents = z
  .array(subscribableEventSchema)
  .min(1, 'must name at least one event')
  .refine(isUnique, 'must not repeat an event')
  .describe(
    '`webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a day, or was disabled by Sigcast.',
  )
  .meta({ example: ['signal.new', 'signal.winner'] });
const chosenOrder = z.boolean();
const orderedMeans =
  'One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has failed with ' +
  'all its retries.';
const chosenBatch = z
  .strictObject({
    max: z.int().min(2).max(100).describe('The most events in a request.').meta({ example: 100 }),
    wait_ms: z
      .int()
      .min(0)
      .max(10_000)
      .describe('How long an event waits for others, in milliseconds.')
      .meta({ example: 1_000 }),
  })
  .meta({ id: 'WebhookBatch' });
/** How the events of an ordered subscription are put together. */
export type WebhookBatch = z.infer<typeof chosenBatch>;
const batchMeans =
  'For an ordered webhook: events that wait are sent together, as an array in one request with one signature. A request that ' +
  'fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`.';
const chosenDescription = plainText(500);
/** A filter of events. */
export const chosenFilter = filterOf(eventConditionFields);
const filterMeans =
  'Only events whose signal meets all conditions: fields of the event’s `data` by their path, as in `filter` of ' +
  '`GET /v1/signals`. At most 20 conditions. Events that are not about signals always come.';

/** Body of `POST /v1/webhooks`. Absent `types` means all types. */
export const createWebhookSchema = z
  .strictObject({
    kind: chosenKind
      .optional()
      .describe('`webhook` where it is left out; the others are chats, where people read messages.')
      .meta({ example: 'webhook' }),
    url: chosenUrl.optional().meta({ example: 'https://example.com/hooks/sigcast' }),
    telegram: chosenTelegram.optional().describe(telegramMeans),
    template: chosenTemplate.optional().describe(`${templateMeans} \`standard\` where it is left out.`),
    events: chosenEvents,
    types: described(
      signalTypeListSchema.optional(),
      'Only events of signals of these types; without it, of all types. Events that are not about signals always come.',
      ['new', '7d'],
    ),
    filter: chosenFilter.optional().describe(filterMeans),
    ordered: chosenOrder
      .optional()
      .describe(`${orderedMeans} False where it is left out. Chats are always ordered.`),
    batch: chosenBatch.nullable().optional().describe(batchMeans),
    description: chosenDescription.optional().describe('For yourself.').meta({ example: 'Alerts' }),
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof createWebhookSchema>;

const chosenStatuses = ['enabled', 'disabled'] as const;
const webhookStatuses = [...chosenStatuses, 'pending'] as const;

/** Body of `PATCH /v1/webhooks/{id}`. Absent members stay unchanged. */
export const updateWebhookSchema = z
  .strictObject({
    url: chosenUrl.optional(),
    telegram: chosenTelegram.optional().describe(telegramMeans),
    template: chosenTemplate.optional().describe(templateMeans),
    events: chosenEvents.optional(),
    types: signalTypeListSchema.optional().describe('Only events of signals of these kinds.'),
    filter: chosenFilter.nullable().optional().describe(`${filterMeans} Null for none.`),
    ordered: chosenOrder.optional().describe(orderedMeans),
    batch: chosenBatch.nullable().optional().describe(`${batchMeans} Null for each event alone.`),
    description: chosenDescription.nullable().optional().describe('For yourself; null for none.'),
    status: z
      .enum(chosenStatuses, 'must be enabled or disabled')
      .optional()
      .describe('`disabled` pauses: nothing is sent. `enabled` goes on.')
      .meta({ example: 'enabled' }),
  })
  .meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>;

/** The state of a recovery. */
const recoveryFields = {
  since: timestamp,
  status: z
    .enum(['running', 'completed'])
    .describe('`running`: the recovery goes on by itself, and `GET /v1/webhooks/{id}` shows its progress.')
    .meta({ example: 'completed' }),
  retried: count.describe('Failed deliveries that are sent again.').meta({ example: 3 }),
  opened: count.describe('Deliveries created for events that never had one.').meta({ example: 41 }),
  requested_at: timestamp.meta({ example: '2026-01-02T01:30:00.000Z' }),
  completed_at: timestamp.nullable().meta({ example: '2026-01-02T01:30:00.000Z' }),
};

/** A recovery: delivers again everything that a subscription did not get since an instant. */
export const recoverySchema = z.strictObject(recoveryFields).meta({ id: 'Recovery' });
export type Recovery = z.infer<typeof recoverySchema>;

/** Body of `POST /v1/webhooks/{id}/recover`. */
export const recoverWebhookSchema = z
  .strictObject({
    since: describedInstant(
      'From this instant on, at most 30 days back. A bare date means 00:00 UTC of that day.',
    ).meta({ example: '2026-01-01T12:00:00.000Z' }),
  })
  .meta({ id: 'RecoverWebhook' });
export type RecoverWebhook = z.infer<typeof recoverWebhookSchema>;

/** A subscription as its account sees it. */
export const webhookSchema = z
  .strictObject({
    id: webhookIdSchema,
    kind: chosenKind,
    url: described(
      z.string(),
      'Where events are sent. Of a chat’s address, the last four characters of its token are shown.',
      'https://example.com/hooks/sigcast',
    ),
    telegram: described(telegramChat.nullable(), 'Only for `telegram`: the chat.', null),
    template: chosenTemplate.nullable().describe(`${templateMeans} Null for \`webhook\`.`),
    proven: z
      .boolean()
      .describe(
        'Whether the address has answered with success once. Until then it gets one request at a time.',
      )
      .meta({ example: true }),
    events: z.array(subscribableEventSchema).meta({ example: ['signal.new', 'signal.winner'] }),
    types: described(
      z.array(signalTypeSchema),
      'The signal types of its events; all six if none were named.',
      ['new', '7d'],
    ),
    filter: described(filterSchema.nullable(), 'As it was given; null for none.', null),
    ordered: z.boolean().describe(orderedMeans),
    batch: described(chosenBatch.nullable(), `${batchMeans} Null for each event alone.`, null),
    status: described(
      z.enum(webhookStatuses),
      'While `disabled`, events are kept but not sent. `pending`: nothing is sent until your account’s e-mail address is ' +
        'verified, where the operator asks for that; then it becomes `enabled` by itself.',
    ),
    disabled_reason: described(
      z.enum(['paused', 'failing', 'gone']).nullable(),
      '`paused` by you, or by a new password that revokes access; `failing`: every delivery failed for 3 days; ' +
        '`gone`: it answered 410, or the chat takes no more messages. Null while enabled.',
    ),
    disabled_at: timestamp.nullable(),
    failing_since: described(
      timestamp.nullable(),
      'The first failed attempt since the last success, once a delivery was given up or the address was found to be down; ' +
        'null if deliveries succeed, or the webhook is disabled.',
    ),
    disables_at: described(
      timestamp.nullable(),
      'When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null.',
    ),
    description: z.string().nullable().meta({ example: 'Alerts' }),
    previous_secret_expires_at: timestamp
      .nullable()
      .describe('Until then, replaced secrets sign too. Null when only the current secret signs.'),
    recovery: described(recoverySchema.nullable(), 'The last recovery that was asked for.', null),
    created_at: timestamp,
    updated_at: timestamp,
    warnings: described(
      z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
      'Only in answers of POST and PATCH that set `url`, and only if there are any: a host name that does not resolve now. ' +
        'The webhook is made all the same.',
    ),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

/** A new subscription: the only answer with its signing secret. */
export const createdWebhookSchema = webhookSchema
  .extend({
    secret: z
      .string()
      .describe('Signing secret, `whsec_` and base64 (Standard Webhooks). Shown only once. Empty for chats.')
      .meta({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  })
  .meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;

/** The answer to a deletion. */
export const deletedWebhookSchema = z
  .strictObject({ id: webhookIdSchema, deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhook' });

/** The event that `POST /v1/webhooks/{id}/test` sends. A subscription can't select it. */
export const webhookTestEvent = 'webhook.test';
/** All events that are sent to subscriptions. */
export const sentEventTypes = [...subscribableEvents, webhookTestEvent] as const;
/** One event of {@link sentEventTypes}. */
export const sentEventTypeSchema = oneOf(sentEventTypes).meta({ id: 'SentEventType' });
export type SentEventType = z.infer<typeof sentEventTypeSchema>;

/** Body of a delivery about a signal: the signal right after the event. */
export const webhookPayloadSchema = z
  .strictObject({
    event: z.enum([...webhookEventTypes, webhookTestEvent]).meta({ example: 'signal.winner' }),
    timestamp: described(timestamp, 'When it happened.', '2026-01-02T01:30:00.000Z'),
    data: signalAtEventSchema,
  })
  .meta({ id: 'WebhookPayload' });
export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

/** Body of a delivery about another subscription of the account. */
export const webhookStatePayloadSchema = z
  .strictObject({
    event: z.enum(webhookStateEvents),
    timestamp: described(timestamp, 'When it was noticed.', '2026-01-02T01:30:00.000Z'),
    data: webhookSchema
      .pick({ id: true, url: true, description: true, failing_since: true, disables_at: true })
      .extend({
        disabled_reason: z.enum(['failing', 'gone']).nullable().describe('Null for `webhook.failing`.'),
      }),
  })
  .meta({ id: 'WebhookStatePayload' });
export type WebhookStatePayload = z.infer<typeof webhookStatePayloadSchema>;

const eventIdMember = z
  .string()
  .describe('The same at each attempt.')
  .meta({ example: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S' });

/** An event about a signal in a batch. */
export const batchedSignalEventSchema = webhookPayloadSchema
  .extend({ id: eventIdMember })
  .meta({ id: 'BatchedSignalEvent' });
/** An event about a subscription in a batch. */
export const batchedWebhookEventSchema = webhookStatePayloadSchema
  .extend({ id: eventIdMember })
  .meta({ id: 'BatchedWebhookEvent' });
