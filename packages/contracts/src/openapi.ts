import { z } from 'zod';
import { failureSchema, listSchema, successSchema } from './envelope.ts';
import { type ErrorCode, errorStatus } from './errors.ts';
import { listSignalsQuerySchema, pageQuerySchema, statsQuerySchema } from './queries.ts';
import { signalDetailSchema, signalListItemSchema } from './signal.ts';
import { statisticsSchema } from './statistics.ts';
import {
  createdWebhookSchema,
  createWebhookSchema,
  deletedWebhookSchema,
  deliveryDetailSchema,
  deliverySchema,
  webhookSchema,
} from './webhooks.ts';

type JsonObject = { readonly [key: string]: unknown };

/** One operation of the public API, as data. */
type Operation = {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly status: 200 | 201;
  readonly answer: z.ZodType;
  readonly errors: readonly ErrorCode[];
};

const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/signals',
    id: 'listSignals',
    summary: 'List signals, newest first',
    query: listSignalsQuerySchema,
    status: 200,
    answer: listSchema(signalListItemSchema),
    errors: ['INVALID_REQUEST'],
  },
  {
    method: 'get',
    path: '/v1/signals/{signal_id}',
    id: 'getSignal',
    summary: 'Fetch one signal',
    status: 200,
    answer: successSchema(signalDetailSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/stats',
    id: 'getStatistics',
    summary: 'Statistics over the signals created in a period',
    query: statsQuerySchema,
    status: 200,
    answer: successSchema(statisticsSchema),
    errors: ['INVALID_REQUEST'],
  },
  {
    method: 'post',
    path: '/v1/webhooks',
    id: 'createWebhook',
    summary: 'Subscribe an address to signal events',
    body: createWebhookSchema,
    status: 201,
    answer: successSchema(createdWebhookSchema),
    errors: ['INVALID_REQUEST', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  {
    method: 'get',
    path: '/v1/webhooks',
    id: 'listWebhooks',
    summary: 'List your subscriptions',
    query: pageQuerySchema,
    status: 200,
    answer: listSchema(webhookSchema),
    errors: ['INVALID_REQUEST'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}',
    id: 'getWebhook',
    summary: 'Fetch one subscription',
    status: 200,
    answer: successSchema(webhookSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'delete',
    path: '/v1/webhooks/{webhook_id}',
    id: 'deleteWebhook',
    summary: 'Delete a subscription; nothing more is sent to it',
    status: 200,
    answer: successSchema(deletedWebhookSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    id: 'listDeliveries',
    summary: 'Deliveries to a subscription, newest first',
    query: pageQuerySchema,
    status: 200,
    answer: listSchema(deliverySchema),
    errors: ['INVALID_REQUEST', 'NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
    id: 'getDelivery',
    summary: 'One delivery with every attempt',
    status: 200,
    answer: successSchema(deliveryDetailSchema),
    errors: ['NOT_FOUND'],
  },
];

/** What any request under /v1 may meet. */
const commonErrors: readonly ErrorCode[] = [
  'UNAUTHORIZED',
  'KEY_EXPIRED',
  'FORBIDDEN',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
];

const rateLimitHeaders: JsonObject = {
  'X-RateLimit-Limit': { description: 'Maximum requests per window.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Unix seconds when the window resets.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Names this request in logs and to support.', schema: { type: 'string' } },
};

/**
 * The public API as an OpenAPI 3.1 document, made from the schemas that validate.
 * @param serverUrl the gateway's public address, without a slash at the end.
 */
export function openApiDocument(serverUrl: string): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sigcast API',
      version: '1.0.0',
      description:
        'Token signals with tracked performance, exact statistics, and signed webhooks. ' +
        'Every answer is `{ success, data, meta? }` or `{ success: false, error }`.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'Your API key, `sk_…`.' } },
      schemas: { Failure: jsonSchema(failureSchema, 'output') },
    },
  };
}

function describeOperation(operation: Operation): JsonObject {
  return {
    operationId: operation.id,
    summary: operation.summary,
    parameters: [...pathParameters(operation.path), ...queryParameters(operation.query)],
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(operation.body, 'input') } },
          },
        }),
    responses: {
      [operation.status]: {
        description: 'Success',
        headers: rateLimitHeaders,
        content: { 'application/json': { schema: jsonSchema(operation.answer, 'output') } },
      },
      ...failures([...operation.errors, ...commonErrors]),
    },
  };
}

function failures(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    byStatus.set(errorStatus[code], [...(byStatus.get(errorStatus[code]) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.join(' or '),
        headers: rateLimitHeaders,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    ]),
  );
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined): JsonObject[] {
  if (query === undefined) return [];
  const { properties = {} } = jsonSchema(query, 'input') as { properties?: Record<string, JsonObject> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  return rest;
}
