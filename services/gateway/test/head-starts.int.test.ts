import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startTcpProxy, type TcpProxy } from '@sigcast/testing';
import { ask, okAnswer, type ScriptedUpstream, World } from './harness.ts';

let world: World;
let upstream: ScriptedUpstream;
let redis: TcpProxy;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  upstream = world.upstream;
  const { hostname, port } = new URL(world.stack.redisUrl);
  redis = await startTcpProxy({ host: hostname, port: Number(port) });
  gateway = await world.gateway({
    redisUrl: redis.through(world.stack.redisUrl),
    redisPatienceMs: 30_000,
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});
beforeEach(() => {
  redis.restore();
  upstream.answer = okAnswer;
});

/** A customer whose key this gateway has admitted a moment ago. */
async function knownCustomer(limits: { perMinute?: number } = {}) {
  const customer = await world.customer(limits);
  await eventually(async () => {
    const { status, headers } = await ask(gateway, '/v1/signals', { key: customer.key });
    expect([status, headers.get('x-ratelimit-degraded')]).toEqual([200, null]);
  });
  upstream.requests.length = 0;
  return customer;
}

describe('a read with a key that has plenty left', () => {
  it.each(['/v1/signals', '/v1/signals/sig_1', '/v1/stats'])(
    'is at the service (%s) before it is counted, and answered after that',
    async (path) => {
      const { key } = await knownCustomer();
      const admitted = () => world.metric(gateway, 'sigcast_gateway_admissions_total');
      const before = await admitted();
      redis.hang();
      const asked = ask(gateway, path, { key });
      await eventually(() => expect(upstream.requests).toMatchObject([{ method: 'GET', url: path }]));
      expect(await admitted()).toBe(before);
      redis.restore();
      expect((await asked).status).toBe(200);
    },
  );

  it('is counted once, as its headers say', async () => {
    const { key, account } = await knownCustomer({ perMinute: 1_000 });
    const before = Number((await world.redis.hgetall(`{${account}}:counts`)).n);
    for (let n = 1; n <= 5; n++) {
      const { headers } = await ask(gateway, '/v1/stats', { key });
      expect(headers.get('x-ratelimit-remaining')).toBe(String(1_000 - before - n));
    }
    expect(upstream.requests).toHaveLength(5);
  });

  it('gets nothing of what the service said when somebody else has used the limit up', async () => {
    const { key } = await knownCustomer({ perMinute: 40 });
    const other = await world.gateway();
    for (let n = 0; n < 39; n++) await ask(other, '/v1/webhooks', { key });
    upstream.requests.length = 0;
    const { status, body } = await ask(gateway, '/v1/signals', { key });
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toContain('RATE_LIMIT_EXCEEDED');
    // From then on nothing is begun.
    upstream.requests.length = 0;
    for (let n = 0; n < 5; n++) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    expect(upstream.requests).toEqual([]);
  });

  it('gets nothing of what the service said when the key has been revoked', async () => {
    const { key, account, sha256 } = await knownCustomer();
    await world.redis.hset(`{${account}}:key:${sha256}`, 'revoked', 1);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    upstream.requests.length = 0;
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    expect(upstream.requests).toEqual([]);
  });

  it('ends at the service when its client leaves while it is counted, and counts as left', async () => {
    const { key } = await knownCustomer();
    const gone = Promise.withResolvers<void>();
    upstream.answer = (_req, res) => {
      res.once('close', () => gone.resolve());
    };
    const left = { status: '499' };
    const before = await world.metric(gateway, 'sigcast_gateway_answers_total', left);
    redis.hang();
    const abort = new AbortController();
    const asked = fetch(`${gateway}/v1/signals`, {
      headers: { authorization: `Bearer ${key}` },
      signal: abort.signal,
    });
    await eventually(() => expect(upstream.requests).toHaveLength(1));
    abort.abort();
    await expect(asked).rejects.toThrow();
    await gone.promise;
    redis.restore();
    await eventually(async () =>
      expect(await world.metric(gateway, 'sigcast_gateway_answers_total', left)).toBe(before + 1),
    );
  });
});

describe('what waits until it is counted', () => {
  it.each([
    ['POST', '/v1/webhooks'],
    ['GET', '/v1/webhooks'],
    ['GET', '/v1/events'],
    ['DELETE', '/v1/webhooks/wh_1'],
  ])('is %s %s', async (method, path) => {
    const { key } = await knownCustomer();
    redis.hang();
    const early = ask(gateway, '/v1/stats', { key });
    const asked = ask(gateway, path, { key, method });
    await eventually(() => expect(upstream.requests).toHaveLength(1));
    redis.restore();
    await Promise.all([early, asked]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/stats', path]);
  });

  it('is a read with little left: of refused ones the service never hears', async () => {
    const { key } = await knownCustomer({ perMinute: 20 });
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++) statuses.push((await ask(gateway, '/v1/signals', { key })).status);
    const admitted = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - admitted);
    expect(upstream.requests).toHaveLength(admitted);
  });
});

describe('the answer to a read that was begun early', () => {
  const envelope = '{"success":false,"error":{"code":"NOT_FOUND","message":"No such signal"}}';
  const large = JSON.stringify({ success: true, data: 'x'.repeat(3_000_000) });
  const json = { 'content-type': 'application/json' };
  const answers: Record<string, (req: IncomingMessage, res: ServerResponse) => void> = {
    'a large one': (_req, res) => void res.writeHead(200, json).end(large),
    'a refusal': (_req, res) => void res.writeHead(404, json).end(envelope),
    'an unchanged one': (_req, res) => void res.writeHead(304, { etag: '"1"' }).end(),
    'a failure that is not ours': (_req, res) => void res.writeHead(500, json).end('{"stack":"secret"}'),
    'a page': (_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    'a cut connection': (req) => void req.socket.destroy(),
    'a broken-off one': (req, res) => {
      res.writeHead(200, { ...json, 'content-length': '100' }).write('{"success":');
      setImmediate(() => req.socket.destroy());
    },
  };
  /** What a client gets, whatever happens to it. */
  const outcome = async (key: string) => {
    try {
      const answer = await fetch(`${gateway}/v1/signals/sig_1`, {
        headers: { authorization: `Bearer ${key}`, 'x-request-id': 'req_same' },
      });
      const { 'content-type': type, 'cache-control': cache, etag } = Object.fromEntries(answer.headers);
      return {
        status: answer.status,
        type,
        cache,
        etag,
        body: await answer.text().catch(() => 'broken off'),
      };
    } catch (error) {
      return { error: String(error) };
    }
  };

  it.each(Object.keys(answers))('is the same as to one that was counted first: %s', async (name) => {
    const known = await knownCustomer();
    const fresh = await world.customer();
    upstream.answer = answers[name] ?? okAnswer;
    const first = await outcome(fresh.key);
    expect(await outcome(known.key)).toEqual(first);
  });
});
