import { errorStatus, failureSchema, openApiDocument } from '@sigcast/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: object }>>>>;
};

/** Paths for people, which accept any query. */
const open = ['/', '/openapi.json'];

const operations = Object.entries((openApiDocument('') as Document).paths)
  .filter(([path]) => !open.includes(path))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, { requestBody }]) => ({
      path,
      method: method.toUpperCase(),
      hasBody: requestBody !== undefined,
    })),
  );
const ids: Readonly<Record<string, string>> = {
  '{signal_id}': 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
  '{webhook_id}': 'wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  '{delivery_id}': 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S.wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  '{key_id}': 'key_9f86d081884c7d659a2feaa0',
};

let system: TestSystem;
let accessToken: string;

beforeAll(async () => {
  system = await sharedSystem();
  const answer = await fetch(`${system.gatewayUrl}/account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'careful@sigcast.test', password: 'correct horse battery' }),
  });
  ({ access_token: accessToken } = ((await answer.json()) as { data: { access_token: string } }).data);
}, 240_000);
afterAll(() => system[Symbol.asyncDispose]());

/** Sends a request for things that do not exist. @returns the error of the answer. */
async function refused(
  operation: { path: string; method: string },
  query: string,
  body?: NonNullable<RequestInit['body']>,
) {
  const path = operation.path.replace(/\{\w+\}/g, (name) => ids[name] ?? name);
  const answer = await fetch(`${system.gatewayUrl}${path}${query}`, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const { error } = failureSchema.parse(await answer.json());
  expect(answer.status).toBe(errorStatus[error.code]);
  return error;
}

describe('every operation of the API document', () => {
  it.each(operations)('refuses a query parameter that it does not know: $method $path', async (operation) => {
    const { code, details } = await refused(operation, '?unheard_of=1');
    expect({ code, details }).toEqual({
      code: 'INVALID_REQUEST',
      details: [{ field: 'unheard_of', message: 'is not known' }],
    });
  });

  it.each(operations)(
    'does not exist with a slash at the end of its path: $method $path',
    async (operation) => {
      const { code } = await refused({ ...operation, path: `${operation.path}/` }, '');
      expect(code).toBe('NOT_FOUND');
    },
  );

  it.each(operations.filter(({ hasBody }) => hasBody))(
    'refuses a body that is not UTF-8: $method $path',
    async (operation) => {
      const body = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
      const { code, message } = await refused(operation, '', body);
      expect({ code, message }).toEqual({ code: 'INVALID_REQUEST', message: 'The body is not valid UTF-8' });
    },
  );
});
