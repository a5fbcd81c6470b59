import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, Gzip, gunzipSync } from 'node:zlib';
import { eventually, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let gateway: string;
let key: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
  ({ key } = await world.customer());
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

const preflight = (path: string, headers: Record<string, string> = {}) =>
  fetch(gateway + path, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST', ...headers },
  });

/** A GET request with exactly these headers. @returns the answer as it came, not decompressed. */
async function rawGet(url: string, headers: Record<string, string>) {
  const outgoing = request(url, { headers, agent: false });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** The same from a client with a key. */
const raw = (path: string, headers: Record<string, string> = {}) =>
  rawGet(gateway + path, { authorization: `Bearer ${key}`, ...headers });

describe('a page of another origin', () => {
  it('gets the answer to a preflight without a key, and no limit counts the preflight', async () => {
    const before = world.upstream.requests.length;
    const address = freshAddress();
    for (let i = 0; i < 100; i += 1) {
      const answer = await preflight('/v1/webhooks', {
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
        'x-forwarded-for': address,
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
      const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']));
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    }
    expect(world.upstream.requests).toHaveLength(before);
    // 100 are more than an address may send in a minute without a key.
    const counted = await ask(gateway, '/v1/signals', { address });
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('may read the limits, the request id, Link and ETag of every answer, also of refusals', async () => {
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, {
        'content-type': 'application/json',
        etag: 'W/"1"',
        link: '<?>; rel="first"',
      });
      res.end('{"success":true,"data":[]}');
    };
    for (const answer of [await ask(gateway, '/v1/signals', { key }), await ask(gateway, '/v1/signals')]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? [];
      for (const name of ['retry-after', 'etag', 'link', 'x-request-id', 'x-ratelimit-limit']) {
        expect(exposed).toContain(name);
      }
      const own = [...answer.headers.keys()].filter((name) =>
        /^(x-ratelimit|ratelimit|x-request|link|etag)/.test(name),
      );
      expect(exposed).toEqual(expect.arrayContaining(own));
    }
  });

  it('is allowed only under /v1, and OPTIONS that is no preflight needs a key', async () => {
    for (const path of ['/account', '/account/session/refresh', '/account/keys']) {
      const answer = await preflight(path);
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
      expect(answer.status).toBe(405);
    }
    expect((await ask(gateway, '/v1/signals', { method: 'OPTIONS' })).status).toBe(401);
    expect((await ask(gateway, '/v1/signals', { method: 'OPTIONS', key })).status).toBe(405);
  });
});

describe('an answer', () => {
  const long = JSON.stringify({
    success: true,
    data: Array.from({ length: 500 }, (_, n) => ({ id: `sig_${n}` })),
  });
  const answerLong = () => {
    world.upstream.answer = (_req, res) => {
      const half = long.length / 2;
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': long.length,
        etag: 'W/"1"',
      });
      res.write(long.slice(0, half));
      setImmediate(() => res.end(long.slice(half)));
    };
  };

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])('of 2 kB or more is compressed for a client that accepts %s', async (accepts, coding, unpack) => {
    answerLong();
    const answer = await raw('/v1/signals', { 'accept-encoding': accepts });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.headers.etag).toBe('W/"1"');
    expect(unpack(answer.body).toString()).toBe(long);
    expect(answer.body.length).toBeLessThan(long.length / 2);
  });

  it('is not compressed below 2 kB, nor for a client that accepts no coding of ours', async () => {
    answerLong();
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'rot13' }]) {
      const answer = await raw('/v1/signals', headers as Record<string, string>);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.body.toString()).toBe(long);
    }
    world.upstream.answer = (_req, res) => {
      const short = JSON.stringify({ success: true, data: ['x'.repeat(2_000)] });
      expect(short.length).toBeLessThan(2_048);
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': short.length }).end(short);
    };
    expect(
      (await raw('/v1/signals', { 'accept-encoding': 'br' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  it('of 2 MB arrives completely although the encoder is often full, and the encoder has one drain listener', async () => {
    const huge = JSON.stringify({
      success: true,
      data: Array.from({ length: 100_000 }, () => Math.random()),
    });
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end(huge);
    };
    const heard = vi.spyOn(Readable.prototype, 'on');
    const answer = await raw('/v1/signals', { 'accept-encoding': 'gzip' });
    const { calls, contexts } = heard.mock;
    const drains = calls.filter(([name], at) => name === 'drain' && contexts[at] instanceof Gzip);
    heard.mockRestore();
    expect(gunzipSync(answer.body).toString()).toBe(huge);
    // A listener for each time that the connection is full would be a leak.
    expect(drains).toHaveLength(1);
  });

  it('that has not changed is 304 without body and coding', async () => {
    world.upstream.answer = (_req, res) => res.writeHead(304, { etag: 'W/"1"' }).end();
    const answer = await raw('/v1/signals', { 'accept-encoding': 'br', 'if-none-match': 'W/"1"' });
    expect(answer).toMatchObject({
      status: 304,
      headers: { etag: 'W/"1"', 'cache-control': 'private, no-cache' },
    });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body).toHaveLength(0);
  });

  it('that is a stream is not compressed, and each event arrives when it is written', async () => {
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'private, no-cache' });
      res.write(`id: 1\nevent: signal.new\ndata: ${'x'.repeat(5_000)}\n\n`);
    };
    await using stream = await openEventSource(`${gateway}/v1/stream`, {
      authorization: `Bearer ${key}`,
      'accept-encoding': 'br, gzip',
    });
    expect(stream.headers.get('content-encoding')).toBeNull();
    expect(stream.headers.get('cache-control')).toBe('private, no-cache');
    await eventually(() => expect(stream.events.map(({ id }) => id)).toEqual(['1']));
  });

  it('under /v1 may be cached by its client alone, and has Vary and nosniff', async () => {
    for (const asked of [{ key }, {}]) {
      const { headers } = await ask(gateway, '/v1/signals', asked);
      expect(headers.get('vary')).toBe('Accept-Encoding, Authorization');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('key' in asked ? 'private, no-cache' : 'no-store');
    }
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end('{}');
    };
    expect((await ask(gateway, '/v1/webhooks', { key })).headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['as it is', {}],
    ['compressed', { 'accept-encoding': 'br' }],
  ])(
    'sent %s has each header once: the service’s value, but the gateway’s for limits and request id',
    async (_how, headers) => {
      world.upstream.answer = (_req, res) => {
        res.writeHead(200, {
          'Content-Type': 'application/json',
          'Content-Length': long.length,
          'Cache-Control': 'private, max-age=5',
          Vary: 'Accept-Encoding, Prefer',
          'X-Request-Id': 'the-service-s',
          'X-RateLimit-Limit': '1',
          'RateLimit-Policy': 'none',
        });
        res.end(long);
      };
      const answer = await raw('/v1/signals', { ...headers, 'x-request-id': 'the-client-s' });
      expect(answer.headers).toMatchObject({
        'cache-control': 'private, max-age=5',
        vary: 'Accept-Encoding, Prefer',
        'x-request-id': 'the-client-s',
        'access-control-allow-origin': '*',
      });
      expect(answer.headers['x-ratelimit-limit']).toMatch(/^\d{5,}$/);
      expect(answer.headers['ratelimit-policy']).toMatch(/^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/);
    },
  );

  it('under /account may not be cached and is not compressed', async () => {
    const browser = await signedUp(gateway);
    const answer = await browser.send('GET', '/account/usage?days=90', undefined, {
      'accept-encoding': 'br',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('Strict-Transport-Security', () => {
  const sent = async (url: string, host?: string) =>
    (await rawGet(url, host === undefined ? {} : { host })).headers['strict-transport-security'];

  it('is sent with every answer, except to clients on the same machine', async () => {
    const direct = await world.gateway({ env: { TRUST_PROXY: 'false' } });
    for (const path of ['/v1/signals', '/', '/account', '/docs', '/nothing']) {
      expect(await sent(direct + path, 'api.example.com')).toBe('max-age=31536000');
      expect(await sent(direct + path)).toBeUndefined();
      expect(await sent(direct + path, 'localhost:8080')).toBeUndefined();
    }
  });

  it('is not sent where PUBLIC_URL is plain http', async () => {
    const plain = await world.gateway({ env: { PUBLIC_URL: 'http://sigcast.internal' } });
    expect(await sent(`${plain}/v1/signals`, 'sigcast.internal')).toBeUndefined();
    const secure = await world.gateway({ env: { PUBLIC_URL: 'https://api.example.com' } });
    expect(await sent(`${secure}/v1/signals`, 'sigcast.internal')).toBe('max-age=31536000');
  });
});

describe('the Host header of a request', () => {
  const documentFor = async (url: string, host: string) =>
    (await rawGet(`${url}/openapi.json`, { host })).body.toString();

  it('does not change /openapi.json, which is the same for everybody', async () => {
    const one = await documentFor(gateway, 'evil.example');
    expect(one).toBe(await documentFor(gateway, 'localhost:1'));
    expect(one).not.toContain('evil.example');
    expect(JSON.parse(one)).toMatchObject({ servers: [{ url: '/' }] });
  });

  it('changes no file that shared caches may keep: document and pages are the same for all, in every coding', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/errors.md', '/docs/reference', '/llms.txt']) {
      const plain = await raw(path);
      const packed = await raw(path, { 'accept-encoding': 'gzip', host: 'evil.example' });
      for (const { headers } of [plain, packed]) {
        expect(headers['cache-control']).toMatch(/^public, max-age=\d+$/);
        expect(headers.vary).toBe('Accept-Encoding');
      }
      const body = packed.headers['content-encoding'] === 'gzip' ? gunzipSync(packed.body) : packed.body;
      expect(body.equals(plain.body)).toBe(true);
      const again = await raw(path, { 'if-none-match': String(packed.headers.etag) });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    }
  });

  it('is ignored for PUBLIC_URL, which the document and its examples name', async () => {
    const named = await world.gateway({ env: { PUBLIC_URL: 'https://api.example.com/sigcast/' } });
    const document = JSON.parse(await documentFor(named, 'evil.example')) as {
      servers: { url: string }[];
      info: { description: string };
    };
    expect(document.servers).toEqual([{ url: 'https://api.example.com/sigcast' }]);
    expect(document.info.description).toContain('https://api.example.com/sigcast/v1/signals');
  });
});
