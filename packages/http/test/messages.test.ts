import { type Failure, failureSchema } from '@sigcast/contracts';
import request, { type Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { sampleApp } from './fixture.ts';

const app = sampleApp();

const refused = (response: Response): Failure['error'] => {
  expect(response.status).toBe(400);
  return failureSchema.parse(response.body).error;
};
const send = async (body: object) => refused(await request(app).post('/forms').send(body));
const messagesOf = ({ details = [] }: Failure['error']) =>
  Object.fromEntries(details.map(({ field, message }) => [field, message]));

describe('a message about something wrong', () => {
  it('each kind of wrong value has a message for people', async () => {
    const wrong = {
      text: 'ab',
      entry: '',
      number: 0,
      above: 0,
      whole: 1.5,
      flag: 'yes',
      kind: 'c',
      only: 'y',
      list: [],
      at: 'today',
      email: 'x',
      link: 'ftp://x',
      pattern: 'y',
      union: 3,
      object: [],
    };
    expect(messagesOf(await send(wrong))).toEqual({
      text: 'must have at least 3 characters',
      entry: 'must not be empty',
      number: 'must be at least 1',
      above: 'must be above 0',
      whole: 'must be a whole number',
      flag: 'must be true or false',
      kind: 'must be one of a, b',
      only: 'must be x',
      list: 'must not be empty',
      at: 'must be an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z',
      email: 'must be an e-mail address',
      link: 'must be a web address',
      pattern: 'does not have the right form',
      union: 'is not right',
      object: 'must be an object',
    });
    const other = {
      text: 'abcdef',
      number: 10,
      list: ['a', 'b', 'c'],
      whole: '1',
      at: 1,
      email: null,
      more: 1,
    };
    expect(messagesOf(await send(other))).toMatchObject({
      text: 'must have at most 5 characters',
      number: 'must be at most 9',
      list: 'must have at most 2 entries',
      whole: 'must be a number',
      at: 'must be a string',
      email: 'must be a string',
      link: 'is required',
      more: 'is not known',
    });
  });

  it('the message of an answer names five wrong fields and counts the others', async () => {
    expect((await send({ text: 1, entry: 'x', number: 1 })).message).toMatch(
      /^text must be a string; above is required; (\w+ is required; ){3}and 8 more$/,
    );
    expect(refused(await request(app).get('/things?type=c')).message).toBe('type must be one of a, b');
    for (const body of ['[]', 'null', '1', '"text"']) {
      const answer = await request(app).post('/forms').set('Content-Type', 'application/json').send(body);
      expect(refused(answer).message).toBe('The body must be a JSON object');
    }
  });

  it('an answer has at most 20 wrong fields, and 100 characters of a field’s name', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]));
    expect((await send(many)).details).toHaveLength(20);
    const long = await send({ ['x'.repeat(50_000)]: 1 });
    const field = long.details?.find(({ message }) => message === 'is not known')?.field;
    expect(field).toBe(`${'x'.repeat(100)}…`);
    expect(JSON.stringify(long).length).toBeLessThan(5_000);
  });
});

describe('text that is not Unicode', () => {
  const raw = (...bytes: (string | number)[]) =>
    Buffer.concat(bytes.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
  const post = (body: string | Buffer) =>
    request(app)
      .post('/things')
      .set('Content-Type', 'application/json')
      .serialize((bytes: unknown) => bytes as string)
      .send(body);

  it.each([
    ['a byte that begins no character', [0xff]],
    ['a sequence cut short', [0xc3]],
    ['an overlong sequence', [0xc0, 0xaf]],
    ['half of a surrogate pair as bytes', [0xed, 0xa0, 0x80]],
  ])('a body that is not UTF-8 is refused: %s', async (_what, bytes) => {
    const body = raw('{"name":"', ...bytes, '","size":{"width":1}}');
    expect(refused(await post(body)).message).toBe('The body is not valid UTF-8');
  });

  it('half of a surrogate pair in a body is refused, in values and in names', async () => {
    const lone = refused(await post('{"name":"a\\ud83d","size":{"width":1}}'));
    expect(messagesOf(lone)).toEqual({ name: 'must be valid Unicode, without lone surrogates' });
    const pair = await post('{"name":"\\ud83e\\udd8a","size":{"width":1}}');
    expect(pair.body).toMatchObject({ data: { name: '🦊' } });
    const key = await post('{"name":"n","size":{"width":1},"\\udc00":1}');
    expect(refused(key).details).toEqual([{ field: '\ufffd', message: 'is not known' }]);
    expect(key.text).not.toMatch(/\\ud[89a-f]/i);
  });

  it.each(['text=%ff', 'text=%C3', 'text=%ED%A0%80', 'text=%zz', 'text=a%'])(
    'a query that is not percent-encoded UTF-8 is refused: %s',
    async (query) => {
      expect(messagesOf(refused(await request(app).get(`/things?${query}`)))).toEqual({
        text: 'must be percent-encoded UTF-8',
      });
    },
  );

  it('percent-encoded UTF-8 in a query is decoded', async () => {
    const answer = await request(app).get('/things?text=%F0%9F%A6%8A+a%2Bb%26c');
    expect(answer.body).toEqual({ success: true, data: { text: '🦊 a+b&c' } });
  });

  it('a body nested more than 64 deep is refused before anything walks through it', async () => {
    const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(messagesOf(refused(await post(nested(64))))).toMatchObject({ name: 'must be a string' });
    for (const levels of [65, 49_000]) {
      expect(refused(await post(nested(levels))).message).toBe(
        'The body must have at most 64 levels of JSON',
      );
    }
  });
});

describe('a request that takes no query', () => {
  it('a request that takes no query refuses one, and names the parameters', async () => {
    const answer = await request(app)
      .post('/things?dry_run=true&x')
      .send({ name: 'n', size: { width: 1 } });
    expect(messagesOf(refused(answer))).toEqual({ dry_run: 'is not known', x: 'is not known' });
  });
});
