import { describe, expect, it } from '@jest/globals';
import { type Failure, failureSchema } from '@sigcast/contracts';
import request, { type Response } from 'supertest';
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
  it('is what a person would write, for everything that can be wrong', async () => {
    const wrong = {
      ...{ text: 'ab', entry: '', number: 0, above: 0, whole: 1.5, flag: 'yes', kind: 'c', only: 'y' },
      ...{ list: [], at: 'today', email: 'x', link: 'ftp://x', pattern: 'y', union: 3, object: [] },
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

  it('says in one line what is wrong with which field, and how much more there is', async () => {
    expect((await send({ text: 1, entry: 'x', number: 1 })).message).toMatch(
      /^text must be a string; above is required; (\w+ is required; ){3}and 8 more$/,
    );
    expect(refused(await request(app).get('/things?type=c')).message).toBe('type must be one of a, b');
    for (const body of ['[]', 'null', '1', '"text"']) {
      const answer = await request(app).post('/forms').set('Content-Type', 'application/json').send(body);
      expect(refused(answer).message).toBe('The body must be a JSON object');
    }
  });

  it('names at most 20 fields, and no more of a name than one can read', async () => {
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
    ['a byte that begins nothing', [0xff]],
    ['a sequence cut short', [0xc3]],
    ['an overlong sequence', [0xc0, 0xaf]],
    ['half of a surrogate pair as bytes', [0xed, 0xa0, 0x80]],
  ])('is refused in a body: %s', async (_what, bytes) => {
    const body = raw('{"name":"', ...bytes, '","size":{"width":1}}');
    expect(refused(await post(body)).message).toBe('The body is not valid UTF-8');
  });

  it('is refused in a body where it is written as half of a surrogate pair, at any depth', async () => {
    const lone = refused(await post('{"name":"a\\ud83d","size":{"width":1}}'));
    expect(messagesOf(lone)).toEqual({ name: 'must be valid Unicode, without lone surrogates' });
    const pair = await post('{"name":"\\ud83e\\udd8a","size":{"width":1}}');
    expect(pair.body).toMatchObject({ data: { name: '🦊' } });
    const key = await post('{"name":"n","size":{"width":1},"\\udc00":1}');
    expect(refused(key).details).toEqual([{ field: '\ufffd', message: 'is not known' }]);
    expect(key.text).not.toMatch(/\\ud[89a-f]/i);
  });

  it.each(['text=%ff', 'text=%C3', 'text=%ED%A0%80', 'text=%zz', 'text=a%'])(
    'is refused in a query: %s',
    async (query) => {
      expect(messagesOf(refused(await request(app).get(`/things?${query}`)))).toEqual({
        text: 'must be percent-encoded UTF-8',
      });
    },
  );

  it('is not what a query holds that is well encoded', async () => {
    const answer = await request(app).get('/things?text=%F0%9F%A6%8A+a%2Bb%26c');
    expect(answer.body).toEqual({ success: true, data: { text: '🦊 a+b&c' } });
  });

  it('is refused for a body nested 40,000 deep as for any other, and harms nothing', async () => {
    const nested = `{"name":"n","size":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    expect(refused(await post(nested)).details).toEqual([{ field: 'size', message: 'must be an object' }]);
  });
});

describe('a request that takes no query', () => {
  it('is refused with one, and the parameters are named', async () => {
    const answer = await request(app)
      .post('/things?dry_run=true&x')
      .send({ name: 'n', size: { width: 1 } });
    expect(messagesOf(refused(answer))).toEqual({ dry_run: 'is not known', x: 'is not known' });
  });
});

describe('Link', () => {
  const links = async (query: string) => {
    const { headers } = await request(app).get(`/pages?${query}`);
    const found = String(headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g);
    return Object.fromEntries([...found].map(([, address = '', relation = '']) => [relation, address]));
  };

  it('leads by page to the first, previous, next and last page, with the same filters', async () => {
    expect(await links('total=45&type=a%26b&page=3')).toEqual({
      first: '?total=45&type=a%26b',
      prev: '?total=45&type=a%26b&page=2',
      next: '?total=45&type=a%26b&page=4',
      last: '?total=45&type=a%26b&page=5',
    });
    expect(Object.keys(await links('total=45'))).toEqual(['first', 'next', 'last']);
    expect(Object.keys(await links('total=45&page=5'))).toEqual(['first', 'prev', 'last']);
    expect(Object.keys(await links('total=0'))).toEqual(['first']);
  });

  it('leads from a page behind the last one back to the last one', async () => {
    expect(await links('total=45&page=400')).toEqual({
      first: '?total=45',
      prev: '?total=45&page=5',
      last: '?total=45&page=5',
    });
    expect(Object.keys(await links('total=0&page=400'))).toEqual(['first']);
  });

  it('keeps the host and the path that the client knows the API by, be they others than the service sees', async () => {
    const known = 'https://api.example.com/sigcast/pages?total=45&page=2';
    const { first, next } = await links('total=45&page=2');
    expect(new URL(String(first), known).href).toBe('https://api.example.com/sigcast/pages?total=45');
    expect(new URL(String(next), known).href).toBe('https://api.example.com/sigcast/pages?total=45&page=3');
  });

  it('leads to the first page of a list without parameters by an empty query', async () => {
    const { first } = await links('cursor=abc');
    expect(first).toBe('?');
    expect(new URL(String(first), 'https://api.example.com/sigcast/v1/signals?cursor=abc').search).toBe('');
  });

  it('leads on by cursor where the list has them', async () => {
    expect((await links('total=45&page=2&next=abc')).next).toBe('?total=45&next=abc&cursor=abc');
    expect(await links('total=45&page=4&cursor=abc&next=def')).toEqual({
      first: '?total=45&next=def',
      next: '?total=45&next=def&cursor=def',
    });
    expect(await links('total=45&page=5&cursor=def&next=')).toEqual({ first: '?total=45&next=' });
  });

  it('leads to no last page that can not be read by its number', async () => {
    expect(Object.keys(await links('total=100000&page=2&next=abc'))).toEqual(['first', 'prev', 'next']);
  });
});
