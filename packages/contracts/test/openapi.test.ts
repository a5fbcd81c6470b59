import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument } from '../src/index.ts';

type Operation = { operationId: string; responses: Record<string, { headers?: object }> };

const operationsOf = (document: object) =>
  Object.entries((document as { paths: Record<string, Record<string, Operation>> }).paths).flatMap(
    ([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );

describe('the OpenAPI document', () => {
  it.each([false, true])('is valid OpenAPI 3.1 (closed: %j)', async (closed) => {
    const result = await new Validator().validate(openApiDocument('https://api.example.test', { closed }));
    expect(result).toMatchObject({ valid: true });
  });

  it('names each operation once, and says what it answers when something is wrong', () => {
    const operations = operationsOf(openApiDocument(''));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { responses } of operations) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
    }
  });

  it('names the rate-limit headers on every answer under /v1', () => {
    for (const { path, responses } of operationsOf(openApiDocument(''))) {
      if (!path.startsWith('/v1/')) continue;
      for (const response of Object.values(responses)) {
        expect(Object.keys(response.headers ?? {})).toEqual(
          expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
        );
      }
    }
  });

  it('leaves clients tolerant of members that are added later', () => {
    const { components } = openApiDocument('') as { components: { schemas: Record<string, object> } };
    expect(components.schemas.SignalListItem).not.toHaveProperty('additionalProperties');
    expect(components.schemas.CreateWebhook).toHaveProperty('additionalProperties', false);
  });
});
