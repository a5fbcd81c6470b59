import { z } from 'zod';
import { accountSchema, apiKeySchema, sessionSchema, usageSchema } from '../account.ts';
import { failureSchema, listMetaSchema } from '../envelope.ts';
import { type ErrorCode, errorStatus } from '../errors.ts';
import { signalDetailSchema, signalListItemSchema } from '../signal.ts';
import { statisticsSchema } from '../statistics.ts';
import { deliveryAttemptSchema, deliverySchema, webhookSchema } from '../webhooks.ts';
import { accountOperations, openAccountOperations } from './account-operations.ts';
import { apiOperations } from './api-operations.ts';
import { apiHeaders, headerComponents, headerRefs, statusHeaders } from './headers.ts';
import type { Operation } from './operation.ts';

type JsonObject = { readonly [key: string]: unknown };

/** Schemas that deserve a name in the document besides bodies and answers. */
const resources: Readonly<Record<string, z.ZodType>> = {
  Signal: signalDetailSchema,
  SignalListItem: signalListItemSchema,
  Statistics: statisticsSchema,
  Webhook: webhookSchema,
  Delivery: deliverySchema,
  DeliveryAttempt: deliveryAttemptSchema,
  Account: accountSchema,
  Session: sessionSchema,
  ApiKey: apiKeySchema,
  Usage: usageSchema,
  ListMeta: listMetaSchema,
  Failure: failureSchema,
};

/** What any request may meet, and what one whose body is read may meet besides. */
const anyErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
const bodyErrors: readonly ErrorCode[] = ['UNSUPPORTED_MEDIA_TYPE'];

/** Ways in, and what they bring with them. */
const groups = [
  {
    operations: apiOperations,
    security: [{ apiKey: [] }],
    headers: apiHeaders,
    errors: ['UNAUTHORIZED', 'KEY_EXPIRED', 'FORBIDDEN', 'GATEWAY_TIMEOUT', ...anyErrors] as const,
  },
  { operations: openAccountOperations, security: [], headers: ['X-Request-Id'], errors: anyErrors },
  {
    operations: accountOperations,
    security: [{ session: [] }],
    headers: ['X-Request-Id'],
    errors: ['UNAUTHORIZED', 'FORBIDDEN', ...anyErrors] as const,
  },
];

export type OpenApiOptions = {
  /** Says of every object in answers that it has no other members: for tests. Clients must tolerate new ones. */
  readonly closed?: boolean;
};

/**
 * The public API as an OpenAPI 3.1 document, made from the schemas that validate.
 * @param serverUrl the gateway's public address, without a slash at the end.
 */
export function openApiDocument(serverUrl: string, options: OpenApiOptions = {}): JsonObject {
  const all = groups.flatMap(({ operations }) => operations);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const group of groups) {
    for (const operation of group.operations) {
      paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, group) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sigcast API',
      version: '1.0.0',
      description:
        'Token signals with tracked performance, exact statistics, and signed webhooks. ' +
        'Every answer is `{ success, data, meta? }` or `{ success: false, error }`. ' +
        'A method that a path does not have is 405 with `Allow`; a path that does not exist is 404.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Your API key, `sk_…`.' },
        session: { type: 'http', scheme: 'bearer', description: 'The access token of a session.' },
      },
      headers: headerComponents,
      schemas: schemaComponents(all, options),
    },
  };
}

function describe(operation: Operation, group: (typeof groups)[number]): JsonObject {
  const { id, tag, summary, description, body, answer, status } = operation;
  const codes = [
    ...group.errors,
    ...(operation.method === 'get' ? [] : (['PAYLOAD_TOO_LARGE'] as const)),
    ...(body === undefined ? [] : bodyErrors),
    ...operation.errors,
  ];
  const conditional = operation.conditional === true;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: group.security,
    parameters: parametersOf(operation),
    ...(body !== undefined && {
      requestBody: {
        required: body.optional !== true,
        content: { 'application/json': { schema: { $ref: ref(body.name) } } },
      },
    }),
    responses: {
      [status]: {
        description: status === 204 ? 'Done; there is nothing to say.' : 'Success',
        headers: headerRefs([...group.headers, ...(conditional ? ['ETag'] : [])]),
        ...(answer !== undefined && {
          content: { 'application/json': { schema: { $ref: ref(answer.name) } } },
        }),
      },
      ...(conditional && {
        304: { description: 'Nothing has changed.', headers: headerRefs([...group.headers, 'ETag']) },
      }),
      ...failuresOf(codes, group.headers),
    },
  };
}

/** By status, with just the codes that can occur. */
function failuresOf(codes: readonly ErrorCode[], headers: readonly string[]): JsonObject {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => errorStatus[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.join(' or '),
        headers: headerRefs([...headers, ...(statusHeaders[status] ?? [])]),
        content: { 'application/json': { schema: failureWith(list) } },
      },
    ]),
  );
}

function failureWith(codes: readonly ErrorCode[]): JsonObject {
  const code = { properties: { code: { enum: codes } } };
  return { allOf: [{ $ref: ref('Failure') }, { properties: { error: code } }] };
}

function parametersOf({ path, query, conditional, idempotent }: Operation): JsonObject[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queryParameters(query),
    ...(conditional
      ? [header('If-None-Match', 'An `ETag` from before; 304 where nothing has changed.')]
      : []),
    ...(idempotent
      ? [header('Idempotency-Key', 'The same key and body again give the first answer and make nothing new.')]
      : []),
  ];
}

function queryParameters(query: z.ZodType | undefined): JsonObject[] {
  if (query === undefined) return [];
  const schema = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, JsonObject>;
  };
  return Object.entries(schema.properties ?? {}).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function schemaComponents(operations: readonly Operation[], { closed = false }: OpenApiOptions): JsonObject {
  const answers = z.registry<{ id: string }>();
  const bodies = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(resources)) answers.add(schema, { id });
  for (const { answer, body } of operations) {
    if (answer !== undefined && !answers.has(answer.schema)) answers.add(answer.schema, { id: answer.name });
    if (body !== undefined) bodies.add(body.schema, { id: body.name });
  }
  const options = { uri: ref, unrepresentable: 'any' } as const;
  const output = z.toJSONSchema(answers, { ...options, io: 'output' }).schemas;
  return {
    ...(tidy(output, !closed) as JsonObject),
    ...(tidy(z.toJSONSchema(bodies, { ...options, io: 'input' }).schemas, false) as JsonObject),
  };
}

/** Without what names a schema outside the document; `open`: without saying that there are no other members. */
function tidy(value: unknown, open: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => tidy(item, open));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => {
        if (name === '$schema' || name === '$id') return false;
        if (name === 'pattern' && 'format' in value) return false; // the format says it, and can be read
        return !(open && name === 'additionalProperties' && item === false);
      })
      .map(([name, item]) => [name, tidy(item, open)]),
  );
}

function ref(name: string): string {
  return `#/components/schemas/${name}`;
}
