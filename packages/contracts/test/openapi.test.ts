import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import {
  type ApiScope,
  apiScopeNames,
  apiScopes,
  errorStatus,
  openApiDocument,
  sampleOf,
  webhookPayloadSchema,
  webhookStatePayloadSchema,
} from '../src/index.ts';
import { accountOperations } from '../src/openapi/account-operations.ts';
import { apiOperations } from '../src/openapi/api-operations.ts';
import type { Operation as DeclaredOperation } from '../src/openapi/operation.ts';
import { nameOf } from '../src/openapi/schemas.ts';
import { serviceOperations } from '../src/openapi/service-operations.ts';

type Response = { headers?: Record<string, unknown>; $ref?: string };
type Operation = {
  operationId: string;
  description: string;
  tags: string[];
  responses: Record<string, Response>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  webhooks: Record<string, { post: Operation }>;
  'x-unlisted-responses': Record<string, Record<string, object>>;
  components: Record<'schemas' | 'responses' | 'headers' | 'parameters', Record<string, object>>;
};

const document = openApiDocument('https://api.example.test') as Document;
const listed = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);
const declared: readonly DeclaredOperation[] = [...apiOperations, ...accountOperations, ...serviceOperations];

/** The response that a reference leads to; any other response itself. */
const resolve = (response: Response): Response =>
  response.$ref === undefined ? response : (document.components.responses[componentOf(response.$ref)] ?? {});

const componentOf = (reference: string) => reference.split('/').at(-1) ?? '';

describe('the OpenAPI document', () => {
  it.each([false, true])('the OpenAPI document is valid OpenAPI 3.1 (closed: %j)', async (closed) => {
    const result = await new Validator().validate(openApiDocument('https://api.example.test', { closed }));
    expect(result).toMatchObject({ valid: true });
  });

  it('the OpenAPI document refers only to existing components, and has none that nothing refers to', () => {
    const { components } = document;
    const there = Object.entries(components).flatMap(([kind, named]) =>
      kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    const referred = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '');
    expect([...new Set(referred)].sort()).toEqual(there.sort());
  });

  it('the OpenAPI document names each operation once, and has a description of each tag', () => {
    const operations = [...listed, ...Object.values(document.webhooks).map(({ post }) => post)];
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const tags = document.tags.map(({ name }) => name);
    for (const operation of operations) expect(tags).toEqual(expect.arrayContaining(operation.tags));
    expect(tags.filter((tag) => !operations.some((operation) => operation.tags.includes(tag)))).toEqual([]);
  });

  it('the OpenAPI document has X-Request-Id on every answer, and the rate-limit headers on every answer under /v1', () => {
    for (const { path, responses } of listed) {
      for (const response of Object.values(responses)) {
        const names = Object.keys(resolve(response).headers ?? {});
        expect(names).toContain('X-Request-Id');
        expect(names.includes('X-RateLimit-Limit')).toBe(path.startsWith('/v1/'));
      }
    }
  });

  it('the OpenAPI document says of every operation under /v1, and of no other, which scope a key needs', () => {
    for (const { path, description, ...operation } of listed) {
      const { 'x-scope': scope } = operation as { 'x-scope'?: ApiScope };
      expect(scope !== undefined && scope in apiScopes).toBe(path.startsWith('/v1/'));
      if (scope !== undefined) expect(description).toContain(scope);
    }
    const used = new Set(apiOperations.map(({ scope }) => scope));
    expect(apiScopeNames.filter((scope) => !used.has(scope))).toEqual([]);
  });

  it('the OpenAPI document shows a new backtest as one that waits for its turn', () => {
    const created = document.paths['/v1/backtests']?.post?.responses['201'];
    expect(created).toMatchObject({
      content: {
        'application/json': {
          example: { data: { status: 'queued', progress: { done: 0 }, finished_at: null, result: null } },
        },
      },
    });
  });

  it('the OpenAPI document describes every error code', () => {
    const described = [document.components.responses, ...Object.values(document['x-unlisted-responses'])];
    const withBody = described
      .flatMap((responses) => Object.values(responses))
      .filter((one) => 'content' in one);
    const codes = withBody.flatMap((response) =>
      Object.keys(
        (response as { content: { 'application/json': { examples: object } } }).content['application/json']
          .examples,
      ),
    );
    expect(new Set(codes)).toEqual(new Set(Object.keys(errorStatus)));
  });

  it('the OpenAPI document allows unknown members in answers, and forbids them in requests', () => {
    const { schemas } = document.components;
    expect(schemas.SignalListItem).not.toHaveProperty('additionalProperties');
    expect(schemas.CreateWebhook).toHaveProperty('additionalProperties', false);
  });

  it.each(
    [
      ...declared.flatMap(({ body, answer }) => [body, answer].flatMap((schema) => (schema ? [schema] : []))),
      webhookPayloadSchema,
      webhookStatePayloadSchema,
    ].map((schema) => ({ name: nameOf(schema), schema })),
  )('the sample of $name is valid by its schema', ({ schema }) => {
    expect(schema.safeParse(sampleOf(schema))).toMatchObject({ success: true });
  });
});
