import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { failureSchema } from '@sigcast/contracts';
import request, { type Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { sampleApp } from './fixture.ts';

const app = sampleApp();

/** Checks status, code and envelope, and gives the named fields. */
function failure(response: Response, status: number, code: string): string[] {
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  const { error } = failureSchema.parse(response.body);
  expect(error.code).toBe(code);
  expect(error.request_id).toBe(response.headers['x-request-id']);
  return (error.details ?? []).map(({ field }) => field);
}

const post = (body: string | Buffer, type = 'application/json') =>
  request(app).post('/things').set('Content-Type', type).send(body);

/** Sends a body of unknown length as it is, and gives the status and the error's code. */
async function upload(chunks: readonly Buffer[], headers = {}): Promise<[number | undefined, string]> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = send({
    port,
    path: '/things',
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const text = (await response.setEncoding('utf8').toArray()).join('');
  server.close();
  return [response.statusCode, failureSchema.parse(JSON.parse(text)).error.code];
}

describe('an answer without an ETag', () => {
  it('an answer without an ETag is never 304, whatever If-None-Match says', async () => {
    const response = await request(app).get('/things/1').set('If-None-Match', '*');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true, data: { id: '1' } });
  });
});

describe('a request id', () => {
  it.each(['abcdefgh', 'A-b_c.1234', 'x'.repeat(128)])('a well-formed request id is kept: %s', async (id) => {
    const response = await request(app).get('/id').set('X-Request-Id', id);
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.body).toEqual({ success: true, data: id });
  });

  it.each(['short', 'x'.repeat(129), 'has a space in it', 'quote"quote"'])(
    'a malformed request id is replaced: %s',
    async (id) => {
      const response = await request(app).get('/id').set('X-Request-Id', id);
      expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
    },
  );

  it('each request without a request id gets another one', async () => {
    const ids = [await request(app).get('/id'), await request(app).get('/id')].map(
      ({ headers }): unknown => headers['x-request-id'],
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('what is not there', () => {
  it('an unknown path is 404 in the envelope', async () => {
    failure(await request(app).get('/nothing'), 404, 'NOT_FOUND');
    failure(await request(app).get('/Things'), 404, 'NOT_FOUND');
  });

  it.each(['/things/', '/things/1/', '/id/'])(
    'a slash at the end makes %s another path, which is 404',
    async (path) => {
      failure(await request(app).get(path), 404, 'NOT_FOUND');
    },
  );

  it('an unknown method is 405 with the methods that exist', async () => {
    const response = await request(app).delete('/things');
    failure(response, 405, 'METHOD_NOT_ALLOWED');
    expect(response.headers.allow).toBe('GET, HEAD, POST');
  });

  it('HEAD is answered like GET, without the body', async () => {
    const response = await request(app).head('/things');
    expect(response.status).toBe(200);
    expect(response.text).toBeUndefined();
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
  });

  it('a path with broken percent-encoding is 400', async () => {
    failure(await request(app).get('/things/%zz'), 400, 'INVALID_REQUEST');
    failure(await request(app).get('/things/%ff%fe'), 400, 'INVALID_REQUEST');
  });
});

describe('a body', () => {
  it('a body is parsed and checked', async () => {
    const response = await post('{"name":"n","size":{"width":1}}');
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ success: true, data: { name: 'n', size: { width: 1 } } });
  });

  it('a refused body has every wrong field named, unknown fields at any depth included', async () => {
    const body = '{"name":1,"size":{"width":"1","hight":2,"depth":{"cm":1,"inch":2}},"colour":"red"}';
    const fields = failure(await post(body), 400, 'INVALID_REQUEST');
    expect(fields.sort()).toEqual(['colour', 'name', 'size.depth.inch', 'size.hight', 'size.width']);
  });

  it.each(['{', '', 'null', '[]', '"text"', '1', '{"name":"n"'])('the body %j is 400', async (body) => {
    failure(await post(body), 400, 'INVALID_REQUEST');
  });

  it('a body with __proto__ is 400 and names it', async () => {
    const fields = failure(
      await post('{"name":"n","size":{"width":1},"__proto__":{"admin":true}}'),
      400,
      'INVALID_REQUEST',
    );
    expect(fields).toEqual(['__proto__']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'a body of type %s is 415',
    async (type) => {
      failure(await post('{}', type), 415, 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  it('a body without a type is 415, and so is a body in an unknown encoding', async () => {
    failure(
      await request(app).post('/things').set('Content-Type', '').send('{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    failure(await post('{}').set('Content-Encoding', 'rot13'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'a body that is not in its Content-Encoding %s is 415',
    async (coding) => {
      const broken = await upload([Buffer.from('{"name":"x"}')], { 'content-encoding': coding });
      expect(broken).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  it('a body over 100 kB by its declared length is 413', async () => {
    failure(await post(`"${'x'.repeat(100_000)}"`), 413, 'PAYLOAD_TOO_LARGE');
    failure(await post(`"${'x'.repeat(99_998)}"`), 400, 'INVALID_REQUEST');
  });

  it('a body over 100 kB in chunks is 413', async () => {
    expect(await upload(Array.from({ length: 20 }, () => Buffer.alloc(10_000, ' ')))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  it('a compressed body over 100 kB once it is unpacked is 413', async () => {
    const small = gzipSync(`"${'x'.repeat(200_000)}"`);
    expect(await upload([small], { 'content-encoding': 'gzip' })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('a query', () => {
  it.each([
    ['limti=5', ['limti']],
    ['type=c', ['type']],
    ['limit=1&limit=2', ['limit']],
    ['limit=1&limit=1&type=a&type=b', ['limit', 'type']],
    ['__proto__=1', ['__proto__']],
    ['constructor=1', ['constructor']],
    ['limit[]=1', ['limit[]']],
  ])('the query %s is 400 and names %j', async (query, expected) => {
    expect(failure(await request(app).get(`/things?${query}`), 400, 'INVALID_REQUEST')).toEqual(expected);
  });

  it('a query with broken percent-encoding in a value is 400 and names the parameter', async () => {
    expect(failure(await request(app).get('/things?type=%zz'), 400, 'INVALID_REQUEST')).toEqual(['type']);
  });
});

describe('an error', () => {
  it('an error that is a bug shows nothing of its message', async () => {
    const response = await request(app).get('/bug');
    failure(response, 500, 'INTERNAL_ERROR');
    expect(response.text).not.toMatch(/hunter2|internal\b|stack|\.ts/);
  });

  it('a temporary error says after how many seconds to try again', async () => {
    const response = await request(app).get('/busy');
    failure(response, 503, 'SERVICE_UNAVAILABLE');
    expect(response.headers['retry-after']).toBe('3');
    expect(response.body).toMatchObject({ error: { retry_after: 3 } });
  });

  it('an error after a part of the answer cuts the connection', async () => {
    await expect(request(app).get('/half')).rejects.toThrow(/aborted|hang up|terminated/);
  });
});
