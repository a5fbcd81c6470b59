import { describe, expect, it } from 'vitest';
import { compareEvents } from '../src/compare-events.ts';
import type { Schema } from '../src/schema.ts';
import { sentence } from '../src/wording.ts';
import { broken, type Change } from './sample.ts';

const nothing: Change = () => undefined;
/** Replaces members of a schema of the sample. */
const request = (members: Schema): Change => {
  return ({ body }) => Object.assign(body.properties, members);
};
const answer = (members: Schema): Change => {
  return ({ thing }) => Object.assign(thing.properties, members);
};
const header = (said: Schema): Change => {
  return ({ list }) => Object.assign(list.responses[200] as Schema, { headers: { ETag: said } });
};
const webhookHeader = (said: Schema): Change => {
  return ({ webhook }) => Object.assign(webhook.parameters[0] as Schema, said);
};
const credentials = (key: Schema): Change => {
  return (_, api) => Object.assign(api.components, { securitySchemes: { key } });
};
const shared = (...parameters: Schema[]): Change => {
  return (_, api) => Object.assign(api.paths['/things'] as Schema, { parameters });
};
const byToken = { type: 'http', scheme: 'bearer', bearerFormat: 'sk_…' };
const string = { type: 'string' };
const integer = { type: 'integer' };
const map = { type: 'object', additionalProperties: { type: 'number' } };
const inList = 'Response of GET /things, 200';

describe('the check of the API against its last release, at its edges', () => {
  const breaking: readonly (readonly [string, Change, Change, string])[] = [
    [
      'another type of a header',
      header({ schema: integer }),
      header({ schema: string }),
      `${inList}: header \`ETag\` may be integer now, where it was string: clients that read it break`,
    ],
    [
      'a header that may be absent',
      header({ schema: string }),
      header({ required: true, schema: string }),
      `${inList}: header \`ETag\` may be absent now: clients that read it break`,
    ],
    [
      'another type of a header of a webhook',
      webhookHeader({ schema: integer }),
      nothing,
      'Webhook thing.new: header `webhook-id` may be integer now, where it was string: receivers that read it break',
    ],
    [
      'a header of a webhook that may be absent',
      webhookHeader({ required: false }),
      webhookHeader({ required: true }),
      'Webhook thing.new: header `webhook-id` may be absent now: receivers that read it break',
    ],
    [
      'another default in a body, behind a reference',
      (_, api) => Object.assign(api.components.schemas, { Size: { ...integer, default: 2 } }),
      ({ body }, api) => {
        Object.assign(api.components.schemas, { Size: { ...integer, default: 1 } });
        Object.assign(body.properties, { size: { $ref: '#/components/schemas/Size' } });
      },
      'Request of POST /things: field `size` changed its `default` from 1 to 2: requests without it get something else',
    ],
    [
      'credentials that are shown another way',
      credentials({ type: 'apiKey', in: 'header', name: 'X-Key' }),
      credentials(byToken),
      'Credentials `key`: they are shown another way: requests that show them as before are refused',
    ],
    [
      'another place of the whole API',
      (_, api) => Object.assign(api, { servers: [{ url: '/api' }] }),
      nothing,
      'Servers: `/` was removed: clients that call it break',
    ],
    [
      'a new required parameter of all that a path has',
      shared({ name: 'team', in: 'query', required: true }),
      nothing,
      'Request of GET /things: query parameter `team` is new and required: requests without it are refused',
    ],
    [
      'listed members where a request took any',
      request({ more: { type: 'object', properties: { a: string }, additionalProperties: false } }),
      request({ more: { type: 'object' } }),
      'Request of POST /things: field `more` no longer takes members that are not listed: requests that were valid are refused',
    ],
    [
      'one listed member of what was a map of other values in a request',
      request({ more: { ...map, properties: { a: string } } }),
      request({ more: map }),
      'Request of POST /things: field `more.a` no longer takes number, only string: requests that were valid are refused',
    ],
    [
      'a listed member of other values in an answer that was a map',
      answer({ parts: { type: 'object', properties: { a: string }, additionalProperties: false } }),
      nothing,
      `${inList}: field \`data[].parts.a\` may be string now, where it was number: clients that rely on it break`,
    ],
    [
      'another pattern beside the same format',
      request({ name: { ...string, format: 'date-time', pattern: 'Z$' } }),
      request({ name: { ...string, format: 'date-time', pattern: '(Z|[+-].*)$' } }),
      'Request of POST /things: field `name` changed its `pattern` from (Z|[+-].*)$ to Z$: requests that were valid are refused',
    ],
    [
      'a bound between values that were listed',
      request({ size: { type: 'integer', exclusiveMinimum: 0 } }),
      request({ size: { enum: [0, 1] } }),
      'Request of POST /things: field `size` no longer takes `0`: requests that were valid are refused',
    ],
    [
      'any number where two types left whole ones',
      answer({ size: { type: 'number' } }),
      answer({ size: { allOf: [{ type: 'number' }, { type: 'integer' }] } }),
      `${inList}: field \`data[].size\` may be number now, where it was integer: clients that rely on it break`,
    ],
    [
      'two types at once, which leave no value, in an answer',
      answer({ size: { allOf: [integer, string] } }),
      answer({ size: { allOf: [integer, { minimum: 0 }] } }),
      `${inList}: field \`data[].size\` takes nothing: no value fits all that it has to be: clients that rely on it break`,
    ],
    [
      'two constants at once in an answer',
      answer({ kind: { allOf: [{ const: 'big' }, { ...string, const: 'small' }] } }),
      answer({ kind: { ...string, const: 'big' } }),
      `${inList}: field \`data[].kind\` takes nothing: no value fits all that it has to be: clients that rely on it break`,
    ],
    [
      'two types at once in a request',
      request({ size: { allOf: [integer, string] } }),
      nothing,
      'Request of POST /things: field `size` takes nothing: no value fits all that it has to be: requests that were valid are refused',
    ],
    [
      'a range of statuses that is gone',
      ({ list }) => delete (list.responses as Record<string, Schema>)['2XX'],
      ({ list }) => Object.assign(list.responses, { '2XX': { description: '…' } }),
      'Response of GET /things, 2XX: the status was removed: clients that wait for it break',
    ],
    [
      'another value of what holds itself',
      answer({ tree: { $ref: '#/components/schemas/Tree' } }),
      (_, api) => {
        const Tree = { properties: { of: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } };
        Object.assign(api.components.schemas, { Tree });
        Object.assign(api.components.schemas.Thing.properties, { tree: string });
      },
      `${inList}: field \`data[].tree\` may be any value now, where it was string: clients that rely on it break`,
    ],
  ];
  it.each(breaking)('says of %s what breaks for whom', (_name, change, prepare, said) => {
    expect(broken(change, prepare)).toContain(said);
  });

  const harmless: readonly (readonly [string, Change, Change])[] = [
    [
      'parameters that stand with the path',
      ({ list, make }, api) => {
        Object.assign(api.paths['/things'] as Schema, { parameters: list.parameters });
        Object.assign(list, { parameters: [] });
        Object.assign(make, { parameters: [] });
      },
      nothing,
    ],
    [
      'the usual style, written out',
      ({ list }) => Object.assign(list.parameters[1] as Schema, { style: 'form', explode: true }),
      nothing,
    ],
    ['the same list as default', nothing, request({ list: { type: 'array', default: ['a'] } })],
    [
      'a default of a field that requests have to have',
      request({ name: { ...string, default: 'a' } }),
      request({ name: string }),
    ],
    [
      'other words for credentials',
      credentials({ ...byToken, description: 'Yours.', bearerFormat: 'JWT' }),
      credentials(byToken),
    ],
    [
      'a bound that is written the other way',
      request({ size: { type: 'number', minimum: 0 } }),
      request({ size: { type: 'number', exclusiveMinimum: 0 } }),
    ],
    [
      'twice the same in a list, said to be allowed',
      request({ list: { type: 'array', uniqueItems: false } }),
      request({ list: { type: 'array' } }),
    ],
    ['the same value, an object', nothing, answer({ same: { const: { a: [1] } } })],
    [
      'a member more of an answer that listed all',
      answer({ more: string }),
      ({ thing }) => Object.assign(thing, { additionalProperties: false }),
    ],
    [
      'what holds itself',
      nothing,
      (_, api) => {
        const Tree = { type: 'array', items: { $ref: '#/components/schemas/Tree' } };
        Object.assign(api.components.schemas, { Tree });
        Object.assign(api.components.schemas.Thing.properties, {
          tree: { $ref: '#/components/schemas/Tree' },
        });
      },
    ],
  ];
  it.each(harmless)('lets %s pass', (_name, change, prepare) => {
    expect(broken(change, prepare)).toEqual([]);
  });

  it('refuses a part of an operation that it does not know, instead of overlooking what that changes', () => {
    expect(() => broken(({ make }) => Object.assign(make, { callbacks: {} }))).toThrow(
      '"callbacks" of an operation is not known',
    );
    expect(() => broken(({ list }) => Object.assign(list.parameters[0] as Schema, { content: {} }))).toThrow(
      '"content" of a parameter is not known',
    );
  });
});

describe('the check of events against those of the last release, at its edges', () => {
  const event = (members: Schema, rest: Schema = {}) => ({
    type: 'object',
    properties: members,
    required: Object.keys(members),
    ...rest,
  });
  const closed = { additionalProperties: false };

  it('says that a consumer which takes no other members parks events with a new one', () => {
    const read = event({ a: string }, closed);
    const released = { version: 1, sent: event({ a: string }, closed), read };
    const present = { version: 1, sent: event({ a: string, b: string }, closed), read };
    expect(compareEvents('e.*', released, present).map(sentence)).toEqual([
      'Event e.*: field `b` is new where no other members were expected: consumers of the last release park such events',
    ]);
  });

  it('says that a consumer of a map parks events with a listed member of another type', () => {
    const read = event({ parts: map });
    const released = { version: 1, sent: event({ parts: map }), read };
    const parts = { type: 'object', properties: { a: string }, ...closed };
    expect(
      compareEvents('e.*', released, { version: 1, sent: event({ parts }), read }).map(sentence),
    ).toEqual([
      'Event e.*: field `parts.a` may be string now, where it was number: consumers of the last release park such events',
    ]);
  });
});
