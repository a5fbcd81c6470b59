import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import {
  batchedSignalEventSchema,
  batchedWebhookEventSchema,
  webhookPayloadSchema,
  webhookStatePayloadSchema,
} from '../resources/webhooks.ts';
import { sampleOf } from '../sample.ts';
import { contractsVersion } from '../version.ts';
import { accountOperations } from './account-operations.ts';
import { apiOperations } from './api-operations.ts';
import { commonHeaders, headerComponents, headerRefs } from './headers.ts';
import { introduction } from './introduction.ts';
import type { JsonObject, Operation, OperationGroup } from './operation.ts';
import { parameterComponents, parametersOf } from './parameters.ts';
import { FailureResponses } from './responses.ts';
import { nameOf, ref, schemaComponents } from './schemas.ts';
import { serviceOperations } from './service-operations.ts';
import { deliveryHeaders, webhookItems } from './webhook-events.ts';

/** Error answers that every request can get. */
const anyErrors = ['INVALID_REQUEST', 'INTERNAL_ERROR'] as const;
const meteredErrors = [
  ...anyErrors,
  ...(['UNAUTHORIZED', 'KEY_EXPIRED', 'FORBIDDEN', 'SCOPE_REQUIRED', 'NETWORK_NOT_ALLOWED'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED'] as const),
  ...(['SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'] as const),
];

const groups: readonly OperationGroup[] = [
  {
    operations: apiOperations,
    security: [{ apiKey: [] }, { accessToken: [] }],
    metered: true,
    errors: meteredErrors,
  },
  {
    operations: accountOperations.filter(({ open }: Operation) => open),
    security: [],
    metered: false,
    errors: [...anyErrors, 'SERVICE_UNAVAILABLE'],
  },
  {
    operations: accountOperations.filter(({ open }: Operation) => !open),
    security: [{ accessToken: [] }],
    metered: false,
    errors: [...anyErrors, 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  },
  { operations: serviceOperations, security: [], metered: false, errors: anyErrors },
];

/** Answers to paths and methods that the document does not list, under /v1 and elsewhere. */
const unlistedErrors = {
  metered: [...meteredErrors, 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'NOT_IMPLEMENTED'],
  unmetered: [...anyErrors, 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'NOT_IMPLEMENTED'],
} satisfies Record<string, ErrorCode[]>;

/** What operations are about, in the order of the document. */
export const apiTags: Readonly<Record<string, string>> = {
  Signals: 'Token signals, each with market data and performance.',
  Statistics: 'Figures over many signals.',
  Backtests: 'Strategies tried on signals of the past.',
  Webhooks: 'Addresses that get events, and the log of deliveries.',
  Events: 'Events that happened, as a list, as a stream, and as they are sent to your addresses.',
  Account: 'Sign-up, sessions and usage. For people, not for programs.',
  'API keys': 'Keys for requests under `/v1`.',
  Members: 'The people who may act for an account.',
  Service: 'About the service itself.',
};

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk_…', description: 'Your API key.' },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a session: `data.access_token` of signing in. Valid for ten minutes, while the session lasts.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Secure-sigcast_refresh',
    description:
      'Set by signing in. Browsers send it under `/account/session` only. Over plain http its name is `sigcast_refresh`.',
  },
};

type OpenApiOptions = {
  /**
   * Says of every object in answers that it has no other members. For tests, to which an additional member is a mistake.
   * The published document must not say so, because clients have to tolerate members that are added later.
   */
  readonly closed?: boolean;
};

/**
 * The public API as an OpenAPI 3.1 document, made from the schemas of validation. Pages (`/docs`) are not in it.
 * @param serverUrl the gateway's public URL, without a slash at the end; empty for the URL at which the document is read.
 */
export function openApiDocument(serverUrl: string, { closed = false }: OpenApiOptions = {}): JsonObject {
  const all = groups.flatMap(({ operations }) => operations);
  const failures = new FailureResponses();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const group of groups) {
    for (const operation of group.operations) {
      const item = { [operation.method]: describe(operation, group, failures) };
      paths[operation.path] = { ...paths[operation.path], ...item };
    }
  }
  // After all operations: a component must be referred to by an operation.
  const unlisted = {
    '/v1': {
      204: {
        description: 'The answer to a CORS preflight request.',
        headers: headerRefs(commonHeaders(false)),
      },
      ...failures.describe(unlistedErrors.metered, true, 'inline'),
    },
    '/': failures.describe(unlistedErrors.unmetered, false, 'inline'),
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sigcast API',
      version: contractsVersion,
      summary: 'Token signals with tracked performance',
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      description: introduction.replaceAll('{server}', serverUrl || '$SIGCAST_URL'),
    },
    servers: [{ url: serverUrl || '/' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(apiTags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhookItems(),
    components: {
      securitySchemes,
      parameters: { ...parameterComponents, ...deliveryHeaders },
      headers: headerComponents,
      responses: failures.components,
      schemas: schemaComponents(
        all,
        [
          webhookPayloadSchema,
          webhookStatePayloadSchema,
          batchedSignalEventSchema,
          batchedWebhookEventSchema,
        ],
        closed,
      ),
    },
    // By path prefix. An extension: OpenAPI can't describe paths and methods that don't exist.
    'x-unlisted-responses': unlisted,
  };
}

function describe(operation: Operation, group: OperationGroup, failures: FailureResponses): JsonObject {
  const { id, tag, summary, description, body, answer, status = 200, success, errors = [] } = operation;
  const { conditional = false, paged = false, setsCookie = false, stream, scope, files } = operation;
  const { accepted, role, sample } = operation;
  const headers = commonHeaders(group.metered);
  const codes: ErrorCode[] = [...group.errors, ...errors];
  if (body !== undefined) codes.push('REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [
      description,
      ...(scope === undefined ? [] : [`A key that has scopes needs \`${scope}\`.`]),
      ...(role === undefined || role === 'viewer' ? [] : [`Needs the role \`${role}\` in the account.`]),
    ].join(' '),
    security: operation.security ?? group.security,
    // Not as a role of `apiKey`, which OpenAPI 3.1 allows and linters refuse.
    ...(scope !== undefined && { 'x-scope': scope }),
    parameters: parametersOf(operation),
    ...(body !== undefined && {
      requestBody: { required: operation.mayLackBody !== true, ...jsonContent(body) },
    }),
    responses: {
      [status]: {
        description: success,
        headers: headerRefs([
          ...headers,
          ...(conditional ? ['ETag'] : []),
          ...(paged ? ['Link'] : []),
          ...(setsCookie ? ['Set-Cookie'] : []),
        ]),
        ...(answer !== undefined && jsonContent(answer, sample && sampleOf(answer, sample))),
        ...(stream !== undefined && {
          content: { 'text/event-stream': textContent(stream.example) },
        }),
        ...(files !== undefined && {
          content: Object.fromEntries(
            Object.entries(files).map(([type, example]) => [type, textContent(example)]),
          ),
        }),
      },
      ...(accepted !== undefined && {
        202: {
          description: accepted.success,
          headers: headerRefs(headers),
          ...jsonContent(accepted.answer),
        },
      }),
      ...(conditional && {
        304: {
          description: 'Nothing has changed. The answer has no body.',
          headers: headerRefs([...headers, 'ETag', ...(paged ? ['Link'] : [])]),
        },
      }),
      ...failures.describe(codes, group.metered),
    },
  };
}

function textContent(example: string): JsonObject {
  return { schema: { type: 'string' }, example };
}

/** @param example instead of that of the schema. */
function jsonContent(schema: z.ZodType, example?: unknown): JsonObject {
  const described = { schema: { $ref: ref(nameOf(schema)) }, ...(example !== undefined && { example }) };
  return { content: { 'application/json': described } };
}
