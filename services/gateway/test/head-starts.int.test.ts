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

  /** Asks while Redis is silent, lets something happen when the service has answered, and then Redis speak. */
  const askedMeanwhile = async (key: string, happens: () => Promise<unknown>) => {
    const served = Promise.withResolvers<void>();
    upstream.answer = (req, res) => {
      res.once('finish', () => served.resolve());
      okAnswer(req, res);
    };
    redis.hang();
    const asked = ask(gateway, '/v1/signals', { key });
    await served.promise;
    await happens();
    redis.restore();
    const answer = await asked;
    upstream.requests.length = 0;
    return answer;
  };

  it('gets nothing of what the service said when somebody else has used the limit up', async () => {
    const { key } = await knownCustomer({ perMinute: 12 });
    const other = await world.gateway();
    const { status, body } = await askedMeanwhile(key, () =>
      Promise.all(Array.from({ length: 11 }, () => ask(other, '/v1/webhooks', { key }))),
    );
    expect([status, body.error?.code, body.data]).toEqual([429, 'RATE_LIMIT_EXCEEDED', undefined]);
    // From then on nothing is begun.
    for (let n = 0; n < 5; n++) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    expect(upstream.requests).toEqual([]);
  });

  it('gets nothing of what the service said when the key has been revoked', async () => {
    const { key, account, sha256 } = await knownCustomer();
    const { status, body } = await askedMeanwhile(key, () =>
      world.redis.hset(`{${account}}:key:${sha256}`, 'revoked', 1),
    );
    expect([status, body.error?.code, body.data]).toEqual([401, 'UNAUTHORIZED', undefined]);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    expect(upstream.requests).toEqual([]);
  });

  it('that is refused frees the service at once, and the next request finds its connection', async () => {
    const { key, account, sha256 } = await knownCustomer();
    const gone = Promise.withResolvers<void>();
    upstream.answer = (_req, res) => {
      res.once('close', () => gone.resolve());
    };
    redis.hang();
    const asked = ask(gateway, '/v1/signals', { key });
    await eventually(() => expect(upstream.requests).toHaveLength(1));
    await world.redis.hset(`{${account}}:key:${sha256}`, 'revoked', 1);
    redis.restore();
    expect((await asked).status).toBe(401);
    await gone.promise;
    upstream.answer = okAnswer;
    const { key: another } = await world.customer();
    expect((await ask(gateway, '/v1/signals', { key: another })).status).toBe(200);
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
    const asked = ask(gateway, path, { key, method });
    const early = ask(gateway, '/v1/stats', { key });
    await eventually(() => expect(upstream.requests).toMatchObject([{ url: '/v1/stats' }]));
    redis.restore();
    await Promise.all([early, asked]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/stats', path]);
  });

  it('is what an account has no room for, whichever of its keys is used, and however much is under way', async () => {
    const { key, account } = await knownCustomer({ perMinute: 20 });
    const second = await world.accounts.createKey({
      ...{ account, name: 'second', environment: 'test', expiresAt: null },
    });
    // Used once each: 18 of 20 are left, and two of them reserved.
    expect((await ask(gateway, '/v1/signals', { key: second.text })).status).toBe(200);
    upstream.requests.length = 0;
    redis.hang();
    const asked = Array.from({ length: 60 }, (_, n) =>
      ask(gateway, '/v1/signals', { key: n % 2 === 0 ? key : second.text }),
    );
    await eventually(() => expect(upstream.requests).toHaveLength(16));
    redis.restore();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(18);
    expect(statuses.filter((status) => status === 429)).toHaveLength(42);
    // Of what was refused the service hears nothing but what was begun while there was room.
    expect(upstream.requests).toHaveLength(18);
  });

  it('is what comes when all is used up', async () => {
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

  it('is whole, however large it is and however long it is counted', async () => {
    const { key } = await knownCustomer();
    const begun = Promise.withResolvers<void>();
    upstream.answer = (_req, res) => {
      // In two parts, so that there is more than is kept when it is admitted, and more comes after that.
      res.writeHead(200, json).write(large.slice(0, 1_000_000), () => begun.resolve());
      res.end(large.slice(1_000_000));
    };
    redis.hang();
    const asked = outcome(key);
    await eventually(() => expect(upstream.requests).toHaveLength(1));
    redis.restore();
    expect(await asked).toMatchObject({ status: 200, body: large });
    await begun.promise;
  });

  it('is 503 when it is broken off before it is admitted: nothing of it is seen', async () => {
    const { key } = await knownCustomer();
    const gone = Promise.withResolvers<void>();
    upstream.answer = (req, res) => {
      res
        .writeHead(200, { ...json, 'content-length': '100' })
        .write('{"success":', () => req.socket.destroy());
      req.socket.once('close', () => gone.resolve());
    };
    redis.hang();
    const asked = ask(gateway, '/v1/signals', { key });
    await gone.promise;
    // An exchange that begins after the end of that connection ends after the gateway has seen it.
    upstream.answer = okAnswer;
    await (await fetch(upstream.url)).text();
    redis.restore();
    const { status, headers } = await asked;
    expect(status).toBe(503);
    expect(headers.get('x-ratelimit-limit')).not.toBeNull();
  });
});
