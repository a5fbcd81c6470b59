import { gzipSync } from 'node:zlib';
import { createApp, finishApp, parseBody, resource, sendData, serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { head, RawConnection, readFailure } from './raw-connection.ts';

let world: World;
/** A gateway in front of a server of @sigcast/http, which the services use. */
let gateway: string;
let key: string;
let asked: number;

beforeAll(async () => {
  world = await World.start();
  const log = silentLogger();
  const app = createApp(log);
  app.use((_req, _res, next) => {
    asked += 1;
    next();
  });
  asked = 0;
  resource(app, '/v1/signals', { GET: (_req, res) => sendData(res, []) });
  resource(app, '/v1/webhooks', {
    POST: [async (req, res) => sendData(res, await parseBody(z.strictObject({ url: z.string() }), req), 201)],
  });
  finishApp(app, log);
  const resources = new AsyncDisposableStack();
  const service = await serve(app, { host: '127.0.0.1', port: 0 }, log, resources);
  world.defer(() => resources.disposeAsync());
  gateway = await world.gateway({ env: { SIGNALS_URL: service, WEBHOOKS_URL: service } });
  key = (await world.customer()).key;
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Sends exact bytes and returns all that comes back until the connection ends. */
const exchange = (bytes: string) => new RawConnection(gateway).send(bytes).closed;

describe('paths and methods', () => {
  it.each([
    ['PUT', '/v1/webhooks', 'GET, HEAD, POST'],
    ['DELETE', '/v1/webhooks', 'GET, HEAD, POST'],
    ['POST', '/v1/webhooks/wh_1', 'GET, HEAD, PATCH, DELETE'],
    ['GET', '/v1/webhooks/wh_1/rotate-secret', 'POST'],
    ['GET', '/v1/webhooks/wh_1/test', 'POST'],
    ['GET', '/v1/webhooks/wh_1/recover', 'POST'],
    ['POST', '/v1/webhooks/wh_1/deliveries', 'GET, HEAD'],
    ['DELETE', '/v1/webhooks/wh_1/deliveries/evt_1:wh_1', 'GET, HEAD'],
    ['GET', '/v1/webhooks/wh_1/deliveries/evt_1:wh_1/retry', 'POST'],
    ['POST', '/v1/signals', 'GET, HEAD'],
    ['POST', '/v1/stream', 'GET, HEAD'],
    ['POST', '/v1/stats/series', 'GET, HEAD'],
  ])('%s %s is 405, and Allow lists the methods of that path: %s', async (method, path, allow) => {
    const answer = await ask(gateway, path, { key, method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });

  it.each([
    '/v1/webhooks/wh_1/secret',
    '/v1/webhooks/wh_1/deliveries/evt_1/again',
    '/v1/webhooks/wh_1/test/more',
    '/v1/signals/sig_1/more',
    '/v1/stats/more',
    '/v1/stats/series/more',
    '/v1/stream/more',
  ])('%s does not exist: 404, whatever the method, and no service is asked', async (path) => {
    const before = asked;
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']) {
      expect((await ask(gateway, path, { key, method })).status).toBe(404);
    }
    expect(asked).toBe(before);
  });
});

describe('a request head', () => {
  const get = (padding: number) =>
    head(
      'GET /v1/signals HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key}`,
      `X-Padding: ${'x'.repeat(padding)}`,
      'Connection: close',
    );

  it('is answered 200 up to the limit and 400 above it, and no size near the limit is answered 503', async () => {
    const statuses = new Map<number, string>();
    for (let size = 15_600; size <= 16_500; size += 25) {
      const padding = size - get(0).length;
      statuses.set(size, (await exchange(get(padding))).slice(9, 12));
    }
    expect(new Set(statuses.values())).toEqual(new Set(['200', '400']));
    const order = [...statuses.values()].join(' ');
    expect(order).toMatch(/^(200 )+(400 ?)+$/);
  });

  it('without Host is 400 with the envelope and a request id', async () => {
    expect(
      readFailure(await exchange(head('GET /v1/signals HTTP/1.1', `Authorization: Bearer ${key}`))),
    ).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
    });
  });

  it('with two Authorization headers is 400, also where both are the same', async () => {
    const authorization = `Authorization: Bearer ${key}`;
    const answer = await exchange(head('GET /v1/signals HTTP/1.1', 'Host: x', authorization, authorization));
    expect(readFailure(answer)).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(answer).toContain('There must be one Authorization header, not several');
  });

  it('with two Host headers is 400', async () => {
    const twice = head('GET /v1/signals HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'host: a');
    expect(readFailure(await exchange(twice))).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });

  it.each(['gzip', 'gzip, chunked', 'identity', 'chunked, chunked', 'xchunked'])(
    'with Transfer-Encoding %s is 501',
    async (coding) => {
      const before = asked;
      const bytes = head(
        'POST /v1/webhooks HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Transfer-Encoding: ${coding}`,
      );
      expect(readFailure(await exchange(`${bytes}0\r\n\r\n`))).toEqual({
        status: 501,
        code: 'NOT_IMPLEMENTED',
      });
      expect(asked).toBe(before);
    },
  );
});

describe('Expect: 100-continue', () => {
  const expecting = (bearer: string, length: number) =>
    head(
      'POST /v1/webhooks HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${bearer}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
    );

  it('is answered with 100 once the key is checked; the body then gets its answer, and the connection stays open', async () => {
    const connection = new RawConnection(gateway);
    const body = '{"url":"x"}';
    for (let request = 0; request < 2; request += 1) {
      connection.received = '';
      connection.send(expecting(key, body.length));
      await eventually(() => expect(connection.received).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
      connection.send(body);
      await eventually(() => expect(connection.received).toMatch(/\r\n\r\nHTTP\/1\.1 201 .*\}$/s));
    }
    connection.socket.destroy();
  });

  it.each([
    ['an unknown key', () => `${key.slice(0, -1)}-`, 90, 401],
    ['a body that is too large', () => key, 100_001, 413],
  ])(
    'is not answered with 100 for %s, and the connection is closed',
    async (_what, bearer, length, status) => {
      const answer = await exchange(expecting(bearer(), length));
      expect(answer).not.toContain('100 Continue');
      expect(readFailure(answer).status).toBe(status);
    },
  );
});

describe('a body', () => {
  const send = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    ask(gateway, '/v1/webhooks', {
      key,
      method: 'POST',
      headers,
      body,
    });

  it.each(['utf-16', 'iso-8859-1', '"utf-32"', 'utf-7'])('in the charset %s is 415', async (charset) => {
    const answer = await send({ 'content-type': `application/json; charset=${charset}` }, '{"url":"x"}');
    expect([answer.status, answer.body.error?.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
    'of type %s is accepted',
    async (type) => {
      expect((await send({ 'content-type': type }, '{"url":"x"}')).status).toBe(201);
    },
  );

  it('with a broken or unknown content coding is 415, and a valid gzip body is accepted', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const whole = gzipSync('{"url":"x"}');
    expect((await send(headers, whole)).status).toBe(201);
    for (const broken of [
      whole.subarray(0, -9),
      Buffer.from('{"url":"x"}'),
      Buffer.concat([whole.subarray(0, 12), whole]),
    ]) {
      const answer = await send(headers, broken);
      expect([answer.status, answer.body.error?.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    const unknown = await send({ ...headers, 'content-encoding': 'zip' }, whole);
    expect(unknown.status).toBe(415);
  });
});
