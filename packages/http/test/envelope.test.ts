import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { failureSchema } from '@sigcast/contracts';
import request, { type Response } from 'supertest';
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
  it('is given whole, whatever If-None-Match says', async () => {
    const response = await request(app).get('/things/1').set('If-None-Match', '*');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true, data: { id: '1' } });
  });
});

describe('a request id', () => {
  it.each(['abcdefgh', 'A-b_c.1234', 'x'.repeat(128)])('is kept: %s', async (id) => {
    const response = await request(app).get('/id').set('X-Request-Id', id);
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.body).toEqual({ success: true, data: id });
  });

  it.each(['short', 'x'.repeat(129), 'has a space in it', 'quote"quote"'])('is replaced: %s', async (id) => {
    const response = await request(app).get('/id').set('X-Request-Id', id);
    expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
  });

  it('is another one for every request that brings none', async () => {
    const ids = [await request(app).get('/id'), await request(app).get('/id')].map(
      ({ headers }): unknown => headers['x-request-id'],
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('what is not there', () => {
  it('is 404 in the envelope', async () => {
    failure(await request(app).get('/nothing'), 404, 'NOT_FOUND');
    failure(await request(app).get('/Things'), 404, 'NOT_FOUND');
  });

  it('is 405 with the methods that are', async () => {
    const response = await request(app).delete('/things');
    failure(response, 405, 'METHOD_NOT_ALLOWED');
    expect(response.headers.allow).toBe('GET, HEAD, POST');
  });

  it('answers HEAD like GET, without the body', async () => {
    const response = await request(app).head('/things');
    expect(response.status).toBe(200);
    expect(response.text).toBeUndefined();
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
  });

  it('is 400 for a path with broken percent-encoding', async () => {
    failure(await request(app).get('/things/%zz'), 400, 'INVALID_REQUEST');
    failure(await request(app).get('/things/%ff%fe'), 400, 'INVALID_REQUEST');
  });
});

describe('a body', () => {
  it('is parsed and checked', async () => {
    const response = await post('{"name":"n","size":{"width":1}}');
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ success: true, data: { name: 'n', size: { width: 1 } } });
  });

  it('names every field that is wrong, unknown ones at any depth too', async () => {
    const body = '{"name":1,"size":{"width":"1","hight":2,"depth":{"cm":1,"inch":2}},"colour":"red"}';
    const fields = failure(await post(body), 400, 'INVALID_REQUEST');
    expect(fields.sort()).toEqual(['colour', 'name', 'size.depth.inch', 'size.hight', 'size.width']);
  });

  it.each(['{', '', 'null', '[]', '"text"', '1', '{"name":"n"'])('is 400 when it is %s', async (body) => {
    failure(await post(body), 400, 'INVALID_REQUEST');
  });

  it('takes no property from __proto__', async () => {
    const fields = failure(
      await post('{"name":"n","size":{"width":1},"__proto__":{"admin":true}}'),
      400,
      'INVALID_REQUEST',
    );
    expect(fields).toEqual(['__proto__']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'is 415 as %s',
    async (type) => {
      failure(await post('{}', type), 415, 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  it('is 415 without a type, and in an encoding nobody knows', async () => {
    failure(
      await request(app).post('/things').set('Content-Type', '').send('{}'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    failure(await post('{}').set('Content-Encoding', 'rot13'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is 413 over 100 kB by its declared length', async () => {
    failure(await post(`"${'x'.repeat(100_000)}"`), 413, 'PAYLOAD_TOO_LARGE');
    failure(await post(`"${'x'.repeat(99_998)}"`), 400, 'INVALID_REQUEST');
  });

  it('is 413 over 100 kB when it comes in chunks', async () => {
    expect(await upload(Array.from({ length: 20 }, () => Buffer.alloc(10_000, ' ')))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  it('is 413 over 100 kB once it is unpacked', async () => {
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
  ])('%s is 400 naming %s', async (query, expected) => {
    expect(failure(await request(app).get(`/things?${query}`), 400, 'INVALID_REQUEST')).toEqual(expected);
  });

  it('may have broken percent-encoding in a value, which is then an ordinary wrong value', async () => {
    expect(failure(await request(app).get('/things?type=%zz'), 400, 'INVALID_REQUEST')).toEqual(['type']);
  });
});

describe('an error', () => {
  it('that is a bug tells nothing of the inside', async () => {
    const response = await request(app).get('/bug');
    failure(response, 500, 'INTERNAL_ERROR');
    expect(response.text).not.toMatch(/hunter2|internal\b|stack|\.ts/);
  });

  it('that passes says when to come back', async () => {
    const response = await request(app).get('/busy');
    failure(response, 503, 'SERVICE_UNAVAILABLE');
    expect(response.headers['retry-after']).toBe('3');
    expect(response.body).toMatchObject({ error: { retry_after: 3 } });
  });

  it('after half an answer cuts the connection', async () => {
    await expect(request(app).get('/half')).rejects.toThrow(/aborted|hang up|terminated/);
  });
});
