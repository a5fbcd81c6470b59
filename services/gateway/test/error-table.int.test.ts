import { listSignalsQuerySchema, SigcastError } from '@sigcast/contracts';
import {
  createApp,
  finishApp,
  identityVerifier,
  parseBody,
  parseQuery,
  requireGatewayIdentity,
  resource,
  sendData,
  serve,
} from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, ask } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer, startUpstream } from './scripted-upstream.ts';

let world: World;
let gateway: string;
/** A gateway in front of an app of @sigcast/http, which the services use. */
let chained: string;

beforeAll(async () => {
  world = await World.start();
  const log = silentLogger();
  const app = createApp(log);
  for (const service of ['signals', 'webhooks'] as const) {
    const verify = identityVerifier('gateway', world.identityKeys.publicKey, service);
    app.use(`/v1/${service}`, requireGatewayIdentity(verify));
  }
  resource(app, '/v1/signals', {
    GET: (req, res) => sendData(res, parseQuery(listSignalsQuerySchema, req).limit),
  });
  resource(app, '/v1/webhooks', {
    POST: [
      (req, _res, next) => {
        if (req.get('idempotency-key') === 'used') {
          throw new SigcastError('CONFLICT', 'The idempotency key was used with another body');
        }
        next();
      },
      async (req, res) => sendData(res, await parseBody(z.strictObject({ url: z.string() }), req), 201),
    ],
  });
  finishApp(app, log);
  const resources = new AsyncDisposableStack();
  const service = await serve(app, { host: '127.0.0.1', port: 0 }, log, resources);
  world.defer(() => resources.disposeAsync());
  const gone = await startUpstream();
  await gone.close();
  gateway = await world.gateway({ env: { STATS_URL: gone.url } });
  chained = await world.gateway({ env: { SIGNALS_URL: service, WEBHOOKS_URL: service } });
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

/** Checks the error envelope, and the headers that every answer under /v1 has. */
function expectFailure(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
  expect(answer.body.success).toBe(false);
  expect(answer.body.error?.message).toEqual(expect.any(String));
  expect(answer.body.error?.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expectLimits(answer);
}

function expectLimits(answer: Answer): void {
  const read = (name: string) => Number(answer.headers.get(name) ?? Number.NaN);
  expect(read('x-ratelimit-limit')).toBeGreaterThan(0);
  expect(read('x-ratelimit-remaining')).toBeGreaterThanOrEqual(0);
  expect(read('x-ratelimit-remaining')).toBeLessThan(read('x-ratelimit-limit') + 1);
  expect(read('x-ratelimit-reset')).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000));
  expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+/);
  expect(answer.headers.get('ratelimit-policy')).toMatch(/^"minute";q=\d+;w=60/);
}

describe('success', () => {
  it('is passed on with the limits of the account', async () => {
    const { key } = await world.customer({ perMinute: 60, perDay: 10_000 });
    const answer = await ask(gateway, '/v1/signals', { key });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, data: [] });
    expectLimits(answer);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('59');
    expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "day";q=10000;w=86400');
    expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=59;t=\d+, "day";r=9999;t=\d+$/);
  });
});

describe('INVALID_REQUEST', () => {
  it.each(['limit=0', 'limit=101', 'page=-1', 'type=foo', 'since=yesterday', 'limti=5', 'limit=1&limit=2'])(
    '400 for ?%s, naming the field',
    async (query) => {
      const { key } = await world.customer();
      const answer = await ask(chained, `/v1/signals?${query}`, { key });
      expectFailure(answer, 400, 'INVALID_REQUEST');
      expect(answer.body.error?.details?.[0]?.field).toBe(query.split('=')[0]);
    },
  );

  it('400 for a body that is not valid JSON', async () => {
    const { key } = await world.customer();
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(chained, '/v1/webhooks', { key, method: 'POST', headers, body: '{"url":' });
    expectFailure(answer, 400, 'INVALID_REQUEST');
  });
});

describe('UNAUTHORIZED', () => {
  it.each([
    ['no key', {}],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a malformed key', { authorization: 'Bearer sk_test' }],
  ])('401 for %s', async (_what, headers) => {
    const answer = await ask(gateway, '/v1/signals', { headers });
    expectFailure(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('401 for a well-formed key that does not exist', async () => {
    const { key, sha256 } = await world.customer();
    await world.models.keys.deleteOne({ _id: sha256 });
    expectFailure(await ask(gateway, '/v1/signals', { key }), 401, 'UNAUTHORIZED');
  });

  it('401 for a revoked key', async () => {
    const { key, sha256 } = await world.customer();
    await world.keys.revoke(sha256);
    expectFailure(await ask(gateway, '/v1/signals', { key }), 401, 'UNAUTHORIZED');
  });

  it('401 comes before 404 and 405: a client without a key learns nothing about paths and methods', async () => {
    expectFailure(await ask(gateway, '/v1/nothing'), 401, 'UNAUTHORIZED');
    expectFailure(await ask(gateway, '/v1/signals', { method: 'POST' }), 401, 'UNAUTHORIZED');
  });

  it('is not the answer to a valid key when a service refuses the identity token: that is 500', async () => {
    const { key } = await world.customer();
    world.upstream.answer = (_req, res) => {
      const body = {
        success: false,
        error: { code: 'UNAUTHORIZED', message: 'service token', request_id: 'x' },
      };
      res.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    expectFailure(await ask(gateway, '/v1/signals', { key }), 500, 'INTERNAL_ERROR');
  });
});

describe('KEY_EXPIRED', () => {
  it('401 for a key that has expired', async () => {
    const { key } = await world.customer({}, new Date(Date.now() - 1));
    const answer = await ask(gateway, '/v1/signals', { key });
    expectFailure(answer, 401, 'KEY_EXPIRED');
    expect(answer.body.error?.message).toMatch(/generate a new/);
  });
});

describe('FORBIDDEN', () => {
  it('403 for a suspended account', async () => {
    const { key, account } = await world.customer();
    await world.accounts.setStatus(account, 'suspended');
    expectFailure(await ask(gateway, '/v1/signals', { key }), 403, 'FORBIDDEN');
  });
});

describe('NOT_FOUND', () => {
  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/signals/a/b', '/v1/webhooks/..%2f..%2finternal'])(
    '404 for %s',
    async (path) => {
      const { key } = await world.customer();
      expectFailure(await ask(gateway, path, { key }), 404, 'NOT_FOUND');
    },
  );

  it('404 outside the API has the same envelope', async () => {
    for (const path of ['/internal/v1/signals', '/nothing', '/V1/signals']) {
      const answer = await ask(gateway, path);
      expect({ path, status: answer.status, code: answer.body.error?.code }).toEqual({
        path,
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });
});

describe('METHOD_NOT_ALLOWED', () => {
  it.each([
    ['POST', '/v1/signals', 'GET, HEAD'],
    ['DELETE', '/v1/stats', 'GET, HEAD'],
    ['PUT', '/v1/webhooks', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/signals/sig_1', 'GET, HEAD'],
  ])('405 for %s %s, with Allow', async (method, path, allow) => {
    const { key } = await world.customer();
    const answer = await ask(gateway, path, { key, method });
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });
});

describe('CONFLICT', () => {
  it('409 of a service is passed on', async () => {
    const { key } = await world.customer();
    const headers = { 'idempotency-key': 'used' };
    const answer = await ask(chained, '/v1/webhooks', { key, method: 'POST', headers });
    expectFailure(answer, 409, 'CONFLICT');
  });
});

describe('PAYLOAD_TOO_LARGE', () => {
  const headers = { 'content-type': 'application/json' };
  const large = JSON.stringify({ url: 'x'.repeat(100_000) });

  it('413 by Content-Length, before the service gets the request', async () => {
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const answer = await ask(gateway, '/v1/webhooks', { key, method: 'POST', headers, body: large });
    expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE');
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('413 for a chunked body that is too long, and the service does not get the request', async () => {
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let part = 0; part < 20; part += 1) controller.enqueue(Buffer.from('x'.repeat(10_000)));
        controller.close();
      },
    });
    const init = { key, method: 'POST', headers, body, duplex: 'half' } as const;
    expectFailure(await ask(gateway, '/v1/webhooks', init), 413, 'PAYLOAD_TOO_LARGE');
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('lets a body of exactly 100 kB pass, chunked or not', async () => {
    const { key } = await world.customer();
    const body = JSON.stringify({ url: 'x'.repeat(100_000 - '{"url":""}'.length) });
    const whole = await ask(chained, '/v1/webhooks', { key, method: 'POST', headers, body });
    expect(whole.status).toBe(201);
    const stream = new Blob([body]).stream();
    const init = { key, method: 'POST', headers, body: stream, duplex: 'half' } as const;
    expect((await ask(chained, '/v1/webhooks', init)).status).toBe(201);
  });
});

describe('UNSUPPORTED_MEDIA_TYPE', () => {
  it('415 for a body that is not JSON', async () => {
    const { key } = await world.customer();
    const headers = { 'content-type': 'text/plain' };
    const answer = await ask(chained, '/v1/webhooks', { key, method: 'POST', headers, body: 'url=x' });
    expectFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('RATE_LIMIT_EXCEEDED', () => {
  it('429 over the minute, with retry_after in body and header', async () => {
    const { key } = await world.customer({ perMinute: 2 });
    for (let i = 0; i < 2; i += 1) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const answer = await ask(gateway, '/v1/signals', { key });
    expectFailure(answer, 429, 'RATE_LIMIT_EXCEEDED');
    const retryAfter = answer.body.error?.retry_after ?? 0;
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get('retry-after')).toBe(String(retryAfter));
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    const reset = Number(answer.headers.get('x-ratelimit-reset'));
    expect(Math.floor(Date.now() / 1000) + retryAfter).toBeGreaterThanOrEqual(reset - 1);
  });
});

describe('SERVICE_UNAVAILABLE', () => {
  it('503 with Retry-After when a service can not be reached', async () => {
    const { key } = await world.customer();
    const answer = await ask(gateway, '/v1/stats', { key });
    expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it("a service's own 503 is passed on unchanged", async () => {
    const { key } = await world.customer();
    world.upstream.answer = (req, res) => {
      const error = {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The data store is away',
        request_id: req.headers['x-request-id'],
        retry_after: 7,
      };
      res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '7' });
      res.end(JSON.stringify({ success: false, error }));
    };
    const answer = await ask(gateway, '/v1/signals', { key });
    expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(answer.body.error).toMatchObject({ message: 'The data store is away', retry_after: 7 });
    expect(answer.headers.get('retry-after')).toBe('7');
  });
});

describe('GATEWAY_TIMEOUT', () => {
  it('504 when a service does not answer in time', async () => {
    const { key } = await world.customer();
    world.upstream.answer = () => undefined;
    const impatient = await world.gateway({ env: { UPSTREAM_HEADERS_TIMEOUT_MS: '300' } });
    expectFailure(await ask(impatient, '/v1/signals', { key }), 504, 'GATEWAY_TIMEOUT');
  });
});

describe('INTERNAL_ERROR', () => {
  it.each([
    ['text', 'text/plain', 'TypeError: x is undefined at /srv/app/secret.js'],
    ['JSON that is not the envelope', 'application/json', '{"stack":"/srv/app/secret.js"}'],
    [
      'an envelope under another status',
      'application/json',
      '{"success":false,"error":{"code":"NOT_FOUND","message":"secret"}}',
    ],
    ['broken JSON', 'application/json', '{"secret":'],
  ])('500 that shows nothing internal, for a 500 of a service with %s', async (_what, type, body) => {
    const { key } = await world.customer();
    world.upstream.answer = (_req, res) => {
      res.writeHead(500, { 'content-type': type }).end(body);
    };
    const answer = await ask(gateway, '/v1/signals', { key });
    expectFailure(answer, 500, 'INTERNAL_ERROR');
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});
