import { openApiDocument } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { type ApiAnswer, apiChecker } from '../src/index.ts';

const check = apiChecker();

const limits = {
  'x-request-id': 'req_12345678',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1767225660',
  ratelimit: '"minute";r=59;t=42',
  'ratelimit-policy': '"minute";q=60;w=60',
};
const json = { 'content-type': 'application/json; charset=utf-8' };

const { components } = openApiDocument('') as {
  components: { schemas: { SignalList: { examples: [{ data: [object]; meta: object }] } } };
};
const [list] = components.schemas.SignalList.examples;

type Change = Partial<Omit<ApiAnswer, 'headers' | 'body'>> & {
  headers?: Record<string, string | null>;
  body?: unknown;
};

/** A good answer to `GET /v1/signals`, with something changed. */
function answer({ headers: changed = {}, body = list, ...rest }: Change = {}): ApiAnswer {
  const headers = new Headers({ ...limits, ...json, etag: 'W/"1"' });
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'GET', path: '/v1/signals', status: 200, ...rest, headers, body: text };
}

const failure = (code: string, more: object = {}) => ({
  success: false,
  error: { code, message: 'x', request_id: limits['x-request-id'], ...more },
});

describe('the checker of answers against the API document', () => {
  it.each<[string, Change]>([
    ['a list', {}],
    ['a list that was asked for with a query', { path: '/v1/signals?limit=1' }],
    ['an answer to HEAD', { method: 'HEAD', body: '' }],
    ['a 304 without a body', { status: 304, body: '', headers: { 'content-type': null } }],
    ['limits counted by one gateway', { headers: { 'x-ratelimit-degraded': '1' } }],
    ['a refusal', { status: 400, body: failure('INVALID_REQUEST'), headers: { etag: null } }],
    [
      'a refusal of an unknown path',
      { path: '/v1/nothing', status: 404, body: failure('NOT_FOUND'), headers: { etag: null } },
    ],
    [
      'a refusal of a method that the path does not have',
      {
        method: 'POST',
        status: 405,
        body: failure('METHOD_NOT_ALLOWED'),
        headers: { etag: null, allow: 'GET, HEAD' },
      },
    ],
  ])('finds nothing wrong with %s', (_what, change) => {
    expect(check(answer(change))).toEqual([]);
  });

  it.each<[string, Change, string]>([
    ['an additional member', { body: { ...list, data: [{ ...list.data[0], more: 1 }] } }, 'additional'],
    ['a missing member', { body: { ...list, data: [{ ...list.data[0], token: undefined }] } }, "'token'"],
    ['a member of another type', { body: { ...list, meta: { ...list.meta, total: '1' } } }, '/meta/total'],
    ['a body that is not JSON', { body: 'Bad Gateway' }, "can't be read"],
    ['JSON with another Content-Type', { headers: { 'content-type': 'text/plain' } }, 'not JSON'],
    ['a status that is not documented', { status: 418 }, 'status 418'],
    ['a success at an unknown path', { path: '/v1/nothing' }, 'status 200'],
    ['a success at a path with a slash at its end', { path: '/v1/signals/' }, 'status 200'],
    ['a success by a method that the path does not have', { method: 'PUT' }, 'status 200'],
    ['a header that is not documented', { headers: { server: 'x' } }, 'header server'],
    ['a header that only other answers have', { headers: { 'retry-after': '1' } }, 'header retry-after'],
    [
      'a header that is missing',
      { headers: { 'x-ratelimit-reset': null } },
      'header x-ratelimit-reset is missing',
    ],
    [
      'a header that is not a number',
      { headers: { 'x-ratelimit-limit': 'many' } },
      'header x-ratelimit-limit has a wrong value',
    ],
    ['a 304 with a body', { status: 304 }, 'there is a body'],
    ['an answer to HEAD with a body', { method: 'HEAD' }, 'there is a body'],
    [
      'an error code that belongs to another status',
      { status: 400, body: failure('NOT_FOUND'), headers: { etag: null } },
      '/error/code',
    ],
    [
      'a missing retry_after',
      { status: 429, body: failure('RATE_LIMIT_EXCEEDED'), headers: { etag: null, 'retry-after': '2' } },
      'retry_after',
    ],
    [
      'a retry_after that is not Retry-After',
      {
        status: 429,
        body: failure('RATE_LIMIT_EXCEEDED', { retry_after: 1 }),
        headers: { etag: null, 'retry-after': '2' },
      },
      'is not Retry-After',
    ],
    [
      'a request_id that is not X-Request-Id',
      { status: 400, body: failure('INVALID_REQUEST', { request_id: 'other' }), headers: { etag: null } },
      'is not X-Request-Id',
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(check(answer(change)).join('\n')).toContain(problem);
  });
});
