import { describe, expect, it } from 'vitest';
import type { Schema } from '../src/schema.ts';
import { broken, type Change } from './sample.ts';

const inList = 'Response of GET /things, 200';
const request = 'Request of POST /things';
const rely = 'clients that rely on it break';
const refused = 'requests that were valid are refused';

const breaking: readonly (readonly [string, Change, string])[] = [
  [
    'a removed path',
    (_, api) => delete api.paths['/things'],
    'GET /things: the path was removed: clients that call it break',
  ],
  [
    'a removed operation',
    (_, api) => delete (api.paths['/things'] as { post?: unknown }).post,
    'POST /things: it was removed: clients that call it break',
  ],
  [
    'another operationId',
    ({ list }) => Object.assign(list, { operationId: 'findThings' }),
    'GET /things: its operationId changed from `listThings` to `findThings`: generated clients name their methods by it, and break when they are made anew',
  ],
  [
    'credentials that open an operation no more',
    ({ list }) => list.security.pop(),
    'GET /things: it is no longer opened by `token`: requests opened that way are refused',
  ],
  [
    'a removed parameter',
    ({ list }) => list.parameters.pop(),
    'Request of GET /things: header parameter `If-None-Match` was removed: requests that name it are refused or understood otherwise',
  ],
  [
    'a new required parameter',
    ({ list }) => list.parameters.push({ name: 'page', in: 'query', required: true, schema: {} }),
    'Request of GET /things: query parameter `page` is new and required: requests without it are refused',
  ],
  [
    'a parameter that became required',
    ({ list }) => Object.assign(list.parameters[0] as Schema, { required: true }),
    'Request of GET /things: query parameter `limit` became required: requests without it are refused',
  ],
  [
    'another default of a parameter',
    ({ list }) => Object.assign((list.parameters[0] as { schema: object }).schema, { default: 50 }),
    'Request of GET /things: query parameter `limit` changed its `default` from 20 to 50: requests without it get something else',
  ],
  [
    'another way to write a parameter',
    ({ list }) => Object.assign(list.parameters[1] as Schema, { explode: false }),
    'Request of GET /things: query parameter `kind` is written another way (`style`, `explode`): requests that were valid are misunderstood',
  ],
  [
    'a bound that takes less of a parameter',
    ({ list }) => Object.assign((list.parameters[0] as { schema: object }).schema, { maximum: 50 }),
    `Request of GET /things: query parameter \`limit\` changed its \`maximum\` from 100 to 50: ${refused}`,
  ],
  [
    'a value that a parameter takes no more',
    ({ list }) =>
      Object.assign((list.parameters[1] as { schema: object }).schema, { items: { const: 'big' } }),
    `Request of GET /things: query parameter \`kind\`, \`[]\` no longer takes \`small\`: ${refused}`,
  ],
  [
    'a body that became required',
    ({ make }) => Object.assign(make.requestBody, { required: true }),
    `${request}: a body became required: requests without one are refused`,
  ],
  [
    'a removed media type of a request',
    ({ make }) => delete make.requestBody.content['text/csv'],
    `${request}: media type \`text/csv\` was removed: requests that use it are refused`,
  ],
  [
    'a removed field of a request',
    ({ body }) => delete body.properties.note,
    `${request}: field \`note\` was removed: requests that name it are refused`,
  ],
  [
    'a new required field of a request',
    ({ body }) => {
      body.properties.color = { type: 'string' };
      body.required.push('color');
    },
    `${request}: field \`color\` is new and required: requests without it are refused`,
  ],
  [
    'a field of a request that became required',
    ({ body }) => body.required.push('kind'),
    `${request}: field \`kind\` became required: requests without it are refused`,
  ],
  [
    'a value that a request takes no more',
    ({ body }) => Object.assign(body.properties, { kind: { type: 'string', enum: ['big'] } }),
    `${request}: field \`kind\` no longer takes \`small\`: ${refused}`,
  ],
  [
    'values listed where a request took any',
    ({ body }) => Object.assign(body.properties, { name: { type: 'string', enum: ['a', 'b'] } }),
    `${request}: field \`name\` takes only \`a\`, \`b\` now: ${refused}`,
  ],
  [
    'a type that a request takes no more',
    ({ body }) => Object.assign(body.properties, { note: { type: 'string' } }),
    `${request}: field \`note\` no longer takes null, only string: ${refused}`,
  ],
  [
    'whole numbers where a request took any',
    ({ body }) => Object.assign(body.properties, { size: { type: 'integer' } }),
    `${request}: field \`size\` no longer takes number, only integer: ${refused}`,
  ],
  [
    'a bound that takes less of a request',
    ({ body }) => Object.assign(body.properties.name as Schema, { minLength: 3 }),
    `${request}: field \`name\` changed its \`minLength\` from 1 to 3: ${refused}`,
  ],
  [
    'a pattern for what was free in a request',
    ({ body }) => Object.assign(body.properties.name as Schema, { pattern: '^a' }),
    `${request}: field \`name\` changed its \`pattern\` from none to ^a: ${refused}`,
  ],
  [
    'another status of success',
    ({ list }) => {
      list.responses[202] = list.responses[200] as Schema;
      delete list.responses[200];
    },
    `${inList}: the status was removed: clients that wait for it break`,
  ],
  [
    'one more status of success',
    ({ list }) => Object.assign(list.responses, { 206: { description: 'Some of them.' } }),
    'Response of GET /things, 206: the status is new among those of success: clients that know only the others break',
  ],
  [
    'a removed header of an answer',
    ({ list }) => Object.assign(list.responses[200] as Schema, { headers: {} }),
    `${inList}: header \`ETag\` was removed: clients that read it break`,
  ],
  [
    'a removed media type of an answer',
    ({ list }) => Object.assign(list.responses[200] as Schema, { content: { 'text/html': { schema: {} } } }),
    `${inList}: media type \`application/json\` was removed: clients that read it break`,
  ],
  [
    'a removed field of an answer',
    ({ thing }) => {
      delete thing.properties.size;
      thing.required.pop();
    },
    `${inList}: field \`data[].size\` was removed: clients that read it break`,
  ],
  [
    'a removed field of an answer that was not always there',
    ({ thing }) => delete thing.properties.made_by,
    `${inList}: field \`data[].made_by\` was removed: clients that read it break`,
  ],
  [
    'a field of an answer that may be absent',
    ({ thing }) => thing.required.pop(),
    `${inList}: field \`data[].size\` may be absent now: ${rely}`,
  ],
  [
    'one more value of an answer',
    ({ thing }) =>
      Object.assign(thing.properties, { kind: { type: 'string', enum: ['big', 'small', 'tiny'] } }),
    `${inList}: field \`data[].kind\` may be \`tiny\` now: clients that know only the values listed before break`,
  ],
  [
    'an answer with any value where they were listed',
    ({ things }) => Object.assign(things.properties, { success: { type: 'boolean' } }),
    `${inList}: field \`success\` may be other than \`true\` now: ${rely}`,
  ],
  [
    'null in an answer, by a list of types',
    ({ thing }) => Object.assign(thing.properties, { size: { type: ['integer', 'null'], minimum: 0 } }),
    `${inList}: field \`data[].size\` may be null now, where it was integer: ${rely}`,
  ],
  [
    'null in an answer, by alternatives',
    ({ things }) =>
      Object.assign(things.properties, { data: { anyOf: [things.properties.data, { type: 'null' }] } }),
    `${inList}: field \`data\` may be null now, where it was array: ${rely}`,
  ],
  [
    'one more alternative of an answer',
    ({ thing }) => thing.properties.made_by?.anyOf.push({ type: 'integer' }),
    `${inList}: field \`data[].made_by\` may be integer now, where it was string or null: ${rely}`,
  ],
  [
    'fractions in an answer of whole numbers',
    ({ thing }) => Object.assign(thing.properties.size as Schema, { type: 'number' }),
    `${inList}: field \`data[].size\` may be number now, where it was integer: ${rely}`,
  ],
  [
    'a bound that an answer may pass',
    ({ thing }) => Object.assign(thing.properties.size as Schema, { minimum: -1 }),
    `${inList}: field \`data[].size\` changed its \`minimum\` from 0 to -1: ${rely}`,
  ],
  [
    'another pattern of an answer',
    ({ thing }) => Object.assign(thing.properties, { id: { type: 'string' } }),
    `${inList}: field \`data[].id\` changed its \`pattern\` from ^t_ to none: ${rely}`,
  ],
  [
    'other values of a map in an answer',
    ({ thing }) =>
      Object.assign(thing.properties.parts as Schema, { additionalProperties: { type: 'string' } }),
    `${inList}: field \`data[].parts.*\` may be string now, where it was number: ${rely}`,
  ],
  [
    'a removed webhook',
    (_, api) => delete api.webhooks['thing.new'],
    'Webhook thing.new: it was removed: subscribers that wait for it get nothing',
  ],
  [
    'a removed header of a webhook',
    ({ webhook }) => webhook.parameters.pop(),
    'Webhook thing.new: header `webhook-id` was removed: receivers that read it break',
  ],
  [
    'a removed field of a webhook',
    ({ thing }) => delete thing.properties.made_by,
    'Body of Webhook thing.new: field `made_by` was removed: receivers that read it break',
  ],
  [
    'another answer to a webhook that counts',
    ({ webhook }) => Object.assign(webhook, { responses: { 204: { description: 'Received.' } } }),
    'Webhook thing.new: the answer 200 no longer counts as received: receivers that give it get the event again',
  ],
];

describe('the check of the API against its last release', () => {
  it.each(breaking)('says of %s what breaks for whom', (_name, change, said) => {
    expect(broken(change)).toContain(said);
  });

  const harmless: readonly (readonly [string, Change])[] = [
    ['nothing', () => undefined],
    ['one more path', (_, api) => Object.assign(api.paths, { '/more': api.paths['/things'] })],
    ['one more webhook', (_, api) => Object.assign(api.webhooks, { more: api.webhooks['thing.new'] })],
    ['one more parameter', ({ list }) => list.parameters.push({ name: 'q', in: 'query', schema: {} })],
    ['one more way to open an operation', ({ list }) => list.security.push({ cookie: [] })],
    ['an operation that is open to all', ({ list }) => Object.assign(list, { security: [] })],
    [
      'one more field of a request',
      ({ body }) => Object.assign(body.properties, { more: { type: 'string' } }),
    ],
    ['a field of a request that may be left out', ({ body }) => body.required.pop()],
    [
      'one more value of a request',
      ({ body }) => Object.assign(body.properties, { kind: { enum: ['big', 'small', 'tiny'] } }),
    ],
    ['any value of a request', ({ body }) => Object.assign(body.properties, { kind: { type: 'string' } })],
    [
      'a wider bound of a request',
      ({ body }) => Object.assign(body.properties.name as Schema, { maxLength: 80 }),
    ],
    [
      'one more field of an answer',
      ({ thing }) => {
        thing.properties.more = { type: 'string' };
        thing.required.push('more');
      },
    ],
    [
      'one value fewer of an answer',
      ({ thing }) => Object.assign(thing.properties, { kind: { type: 'string', const: 'big' } }),
    ],
    ['a field of an answer that is always there', ({ thing }) => thing.required.push('made_by')],
    [
      'an alternative of an answer that is gone',
      ({ thing }) => Object.assign(thing.properties, { made_by: { type: ['null'] } }),
    ],
    [
      'a narrower bound of an answer',
      ({ thing }) => Object.assign(thing.properties.size as Schema, { minimum: 1, maximum: 5 }),
    ],
    [
      'one more status of failure',
      ({ list }) => Object.assign(list.responses, { 429: { description: '…' } }),
    ],
    ['a status of failure that is gone', ({ list }) => delete list.responses[404]],
    ['other words', ({ thing }) => Object.assign(thing, { description: 'A thing.', examples: [{}] })],
    [
      'the same said in parts',
      ({ thing }) => {
        const { size, ...properties } = thing.properties;
        const rest = { properties: { size } as Record<string, Schema>, required: ['size'] };
        Object.assign(thing, { properties, required: ['id', 'kind'], allOf: [rest] });
      },
    ],
  ];
  it.each(harmless)('lets %s pass', (_name, change) => {
    expect(broken(change)).toEqual([]);
  });

  it('refuses a keyword that it does not know, instead of overlooking what that changes', () => {
    const strange: Change = ({ thing }) => Object.assign(thing, { unevaluatedProperties: false });
    expect(() => broken(strange)).toThrow('"unevaluatedProperties" is not known');
  });
});
