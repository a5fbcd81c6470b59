import type { z } from 'zod';
import {
  batchedSignalEventSchema,
  batchedWebhookEventSchema,
  type SentEventType,
  sentEventTypes,
  webhookPayloadSchema,
  webhookStateEvents,
  webhookStatePayloadSchema,
} from '../resources/webhooks.ts';
import { sampleOf } from '../sample.ts';
import type { JsonObject } from './operation.ts';
import { nameOf, ref } from './schemas.ts';

const summaries: Readonly<Record<SentEventType, string>> = {
  'signal.new': 'A signal was created',
  'signal.winner': 'A signal became a winner',
  'signal.dead': 'A signal became dead',
  'signal.rugged': 'A signal’s token was rugged',
  'webhook.failing': 'Another webhook of yours has failed for a day',
  'webhook.disabled': 'Another webhook of yours was disabled',
  'webhook.test': 'A test that you asked for, with a made-up signal',
};

const created = {
  timestamp: '2026-01-01T12:00:00.000Z',
  data: {
    metrics: { mcap_current: 100_000, mcap_ath: 100_000 },
    performance: { roi: 0, ath_roi: 0, status: 'active', time_to_ath_hours: 0 },
  },
};

/** Members of an event’s example that are not as in the example of its schema. */
const examples: Readonly<Partial<Record<SentEventType, JsonObject>>> = {
  'signal.new': created,
  'webhook.test': created,
  'signal.dead': {
    data: {
      metrics: { mcap_current: 12_000, mcap_ath: 140_000 },
      performance: { roi: -88, ath_roi: 40, status: 'dead' },
    },
  },
  'signal.rugged': {
    data: { metrics: { mcap_current: 900 }, performance: { roi: -99.1, status: 'rugged' } },
  },
  'webhook.failing': {
    data: { failing_since: '2026-01-01T01:30:00.000Z', disables_at: '2026-01-04T01:30:00.000Z' },
  },
  'webhook.disabled': { data: { disabled_reason: 'failing' } },
};

const text = (name: string, description: string, example: string, schema: JsonObject = {}) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
  example,
});

/** Headers of every delivery (Standard Webhooks), by name in `components.parameters`. */
export const deliveryHeaders: Readonly<Record<string, JsonObject>> = {
  'webhook-id': text(
    'webhook-id',
    'The event’s identity, the same at every attempt and for every webhook: handle each event once. Of a batch: the batch’s, ' +
      'the same at every attempt.',
    'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S',
    { pattern: '^(evt|bat)_[0-9A-Za-z]{20,26}$' },
  ),
  'webhook-timestamp': text('webhook-timestamp', 'Unix seconds of this attempt.', '1767225600', {
    pattern: '^\\d+$',
  }),
  'webhook-signature': text(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with your webhook’s secret, its part after ' +
      '`whsec_` decoded from base64. For 24 hours after a rotation there are several, separated by spaces: one ' +
      'match is enough.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
  'webhook-attempt': text('webhook-attempt', 'Which attempt this is, from 1.', '1', {
    pattern: '^[1-9]\\d*$',
  }),
  'user-agent': text('User-Agent', 'Who sends.', 'Sigcast-Webhooks/1.0'),
};

/** The document's `webhooks`: the requests to subscribers. */
export function webhookItems(): JsonObject {
  const events = sentEventTypes.map((event) => [event, describeEvent(event, summaries[event])] as const);
  const requests: readonly (readonly [string, JsonObject])[] = [...events, ['batch', describeBatch()]];
  return Object.fromEntries(requests.map(([name, post]) => [name, { post }]));
}

function describeBatch(): JsonObject {
  const kinds = [batchedSignalEventSchema, batchedWebhookEventSchema];
  return describeRequest('onBatch', 'Several events, to a webhook with `batch`', {
    schema: {
      type: 'array',
      minItems: 1,
      items: { anyOf: kinds.map((kind) => ({ $ref: ref(nameOf(kind)) })) },
    },
    example: [
      sampleOf(batchedSignalEventSchema),
      sampleOf(batchedWebhookEventSchema, {
        ...examples['webhook.failing'],
        id: 'evt_01J9ZQ6W9B2D4F6H8K0N2P4R6T',
      }),
    ],
  });
}

function describeEvent(event: SentEventType, summary: string): JsonObject {
  const isState = webhookStateEvents.some((other) => other === event);
  const schema = isState ? webhookStatePayloadSchema : webhookPayloadSchema;
  const name = event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return describeRequest(`on${name}`, summary, {
    schema: { allOf: [{ $ref: ref(nameOf(schema)) }, { properties: { event: { const: event } } }] },
    example: { ...sampleOf<z.ZodType<object, object>>(schema, examples[event]), event },
  });
}

function describeRequest(operationId: string, summary: string, body: JsonObject): JsonObject {
  return {
    operationId,
    tags: ['Events'],
    summary,
    description:
      'Answer 200 within 5 seconds. After anything else, the delivery is retried after about 10 s, 60 s and 10 min. ' +
      'Verify the signature over the bytes as they came, before parsing them.',
    security: [],
    parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': body },
    },
    responses: {
      200: {
        description: 'Received. The first kB of your answer’s body is kept in the delivery log.',
      },
    },
  };
}
