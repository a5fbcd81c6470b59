import { eventually, startTcpProxy, type TcpProxy } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountWindows } from '../src/store/redis-counters.ts';
import { type Browser, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { type GatewayChoices, World } from './harness.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());

async function wire(url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  world.defer(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** A gateway that reaches its stores through proxies, which a test can break. */
async function breakable(choices: GatewayChoices = {}) {
  const [redis, mongo] = await Promise.all([wire(world.stack.redisUrl), wire(world.stack.mongodbUri)]);
  const gateway = await world.gateway({
    ...choices,
    redisUrl: redis.through(world.stack.redisUrl),
    mongodbUri: mongo.through(world.stack.mongodbUri),
  });
  return { gateway, redis, mongo };
}

/** Resolves when the gateway counts in Redis, which on a busy machine takes a moment after the start. */
async function untilRedisDecides(gateway: string): Promise<void> {
  await eventually(async () => expect(isDegraded(await ask(gateway, '/v1/signals'))).toBe(false));
}

const isDegraded = (answer: { headers: Headers }) => answer.headers.get('x-ratelimit-degraded') === '1';

describe.each(['refuse', 'hang'] as const)('while Redis is unavailable (%s)', (how) => {
  it('the gateway counts requests in the process, and in Redis again when Redis is back', async () => {
    const { key } = await world.customer({ perMinute: 40 });
    const { gateway, redis } = await breakable();
    await untilRedisDecides(gateway);

    redis[how]();
    if (how === 'refuse') redis.cut();
    const first = await ask(gateway, '/v1/signals', { key });
    expect(first.status).toBe(200);
    expect(isDegraded(first)).toBe(true);
    let passed = 1;
    let answer = first;
    while (answer.status === 200) {
      answer = await ask(gateway, '/v1/signals', { key });
      if (answer.status === 200) passed += 1;
    }
    expect(answer.status).toBe(429);
    expect(passed).toBe(40);
    expect(isDegraded(answer)).toBe(true);
    expect(await world.metric(gateway, 'sigcast_gateway_redis_in_use')).toBe(0);
    const counted = { counted: 'local', outcome: 'admitted' };
    expect(await world.metric(gateway, 'sigcast_gateway_admissions_total', counted)).toBe(40);

    redis.restore();
    await eventually(async () => {
      const back = await ask(gateway, '/v1/signals', { key });
      expect({ status: back.status, degraded: isDegraded(back) }).toEqual({ status: 200, degraded: false });
    });
    expect(await world.metric(gateway, 'sigcast_gateway_redis_in_use')).toBe(1);
  }, 20_000);

  it('the gateway continues the counts of an account, whose window ends when it would have ended', async () => {
    const { key } = await world.customer({ perMinute: 40 });
    const { gateway, redis } = await breakable();
    await untilRedisDecides(gateway);
    let before = await ask(gateway, '/v1/signals', { key });
    for (let used = 1; used < 30; used += 1) before = await ask(gateway, '/v1/signals', { key });
    redis[how]();
    if (how === 'refuse') redis.cut();
    const after = await ask(gateway, '/v1/signals', { key });
    const told = ({ headers }: { headers: Headers }) => ({
      remaining: Number(headers.get('x-ratelimit-remaining')),
      reset: headers.get('x-ratelimit-reset'),
    });
    const { remaining, reset } = told(before);
    expect(remaining).toBeLessThan(39);
    expect([isDegraded(after), told(after)]).toEqual([true, { remaining: remaining - 1, reset }]);
  }, 20_000);

  it('the gateway reads revocation, expiry and suspension from MongoDB', async () => {
    const { gateway, redis } = await breakable();
    redis[how]();
    if (how === 'refuse') redis.cut();
    const revoked = await world.customer();
    expect((await ask(gateway, '/v1/signals', { key: revoked.key })).status).toBe(200);
    await world.keys.revoke(revoked.sha256);
    const refused = await ask(gateway, '/v1/signals', { key: revoked.key });
    expect(refused.body.error?.code).toBe('UNAUTHORIZED');
    expect(isDegraded(refused)).toBe(true);
    const suspended = await world.customer();
    await world.accounts.setStatus(suspended.account, 'suspended');
    expect((await ask(gateway, '/v1/signals', { key: suspended.key })).status).toBe(403);
    const expired = await world.customer({}, new Date(Date.now() - 1));
    expect((await ask(gateway, '/v1/signals', { key: expired.key })).body.error?.code).toBe('KEY_EXPIRED');
    expect((await ask(gateway, '/v1/signals')).status).toBe(401);
  });
});

describe('a revocation made while a gateway could not reach Redis', () => {
  it('takes effect there from the first request on, also when Redis decides again', async () => {
    const { key, sha256 } = await world.customer();
    const { gateway, redis } = await breakable();
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    redis.refuse();
    redis.cut();
    await world.keys.revoke(sha256);
    redis.restore();
    for (let degraded = true; degraded; ) {
      const answer = await ask(gateway, '/v1/signals', { key });
      expect(answer.status).toBe(401);
      degraded = isDegraded(answer);
    }
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
  });
});

describe('a revocation that Redis had confirmed and a new master has not got', () => {
  it('takes effect again before that master decides, and so does a suspension', async () => {
    const [revoked, suspended] = [await world.customer(), await world.customer()];
    const { gateway, redis } = await breakable();
    await untilRedisDecides(gateway);
    const other = await world.gateway();
    const statuses = async (at: string) => {
      const answers = [];
      for (const { key } of [revoked, suspended]) answers.push(await ask(at, '/v1/signals', { key }));
      return { statuses: answers.map(({ status }) => status), degraded: answers.some(isDegraded) };
    };
    const working = { statuses: [200, 200], degraded: false };
    await eventually(async () => expect(await statuses(gateway)).toEqual(working));
    const names = [revoked, suspended].map(({ account }) => accountWindows(account));
    const before = await Promise.all(names.map((name) => world.redis.dumpBuffer(name)));
    await world.keys.revoke(revoked.sha256);
    await world.accounts.setStatus(suspended.account, 'suspended');
    for (const { account } of [revoked, suspended]) await world.propagator.propagate(account);
    // Only there: the first gateway does not hear of it before the master changes.
    expect((await statuses(other)).statuses).toEqual([401, 403]);

    redis.refuse();
    redis.cut();
    // Without a key: a refusal during the outage would be repeated for a moment, whatever that master says.
    await eventually(async () => expect(isDegraded(await ask(gateway, '/v1/signals'))).toBe(true));
    for (const [n, name] of names.entries()) await world.redis.restore(name, 0, before[n] ?? '', 'REPLACE');
    redis.restore();
    await untilRedisDecides(gateway);
    expect(await statuses(gateway)).toEqual({ statuses: [401, 403], degraded: false });
  });

  it('is told again by the gateway that made it to those that use that master already', async () => {
    const { gateway, redis } = await breakable();
    await untilRedisDecides(gateway);
    const other = await world.gateway();
    const holder = await signedUp(gateway);
    const { key = '', id } = (await holder.send('POST', '/account/keys', { name: 'mine' })).body.data ?? {};
    await eventually(async () => expect(isDegraded(await ask(other, '/v1/signals', { key }))).toBe(false));
    const name = accountWindows(holder.id);
    const before = await world.redis.dumpBuffer(name);
    expect((await holder.send('DELETE', `/account/keys/${id}`)).status).toBe(200);
    redis.refuse();
    redis.cut();
    await world.redis.restore(name, 0, before, 'REPLACE');
    expect((await ask(other, '/v1/signals', { key })).status).toBe(200);
    redis.restore();
    await eventually(async () => expect((await ask(other, '/v1/signals', { key })).status).toBe(401));
  });
});

describe('while MongoDB is unavailable', () => {
  it('cached keys work, other keys are 503 with Retry-After, and all work when MongoDB is back', async () => {
    const known = await world.customer();
    const unknown = await world.customer();
    const { gateway, mongo } = await breakable();
    await untilRedisDecides(gateway);
    expect(isDegraded(await ask(gateway, '/v1/signals', { key: known.key }))).toBe(false);
    mongo.refuse();
    mongo.cut();
    expect((await ask(gateway, '/v1/signals', { key: known.key })).status).toBe(200);
    const refused = await ask(gateway, '/v1/signals', { key: unknown.key });
    expect(refused.body.error?.code).toBe('SERVICE_UNAVAILABLE');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(
      await world.metric(gateway, 'sigcast_gateway_store_failures_total', { store: 'mongodb' }),
    ).toBeGreaterThan(0);
    expect(
      await world.metric(gateway, 'sigcast_gateway_admissions_total', { outcome: 'unavailable' }),
    ).toBeGreaterThan(0);
    expect((await world.probe(gateway, '/readyz')).status).toBe(200);
    mongo.restore();
    await eventually(async () => {
      expect((await ask(gateway, '/v1/signals', { key: unknown.key })).status).toBe(200);
    });
  }, 20_000);
});

describe('while MongoDB is unavailable, an account holder', () => {
  it.each(['refuse', 'hang'] as const)(
    'whose session this gateway has seen is admitted, another one gets 503 (%s), and signing out takes effect when MongoDB is back',
    async (how) => {
      const { gateway, mongo } = await breakable({ impatient: true });
      const [known, unknown] = [await signedUp(gateway), await signedUp(gateway)];
      const asHolder = ({ token = '' }: Browser) => ask(gateway, '/v1/signals', { key: token });
      expect((await asHolder(known)).status).toBe(200);
      mongo[how]();
      if (how === 'refuse') mongo.cut();
      expect((await asHolder(known)).status).toBe(200);
      const refused = await asHolder(unknown);
      expect(refused.body.error?.code).toBe('SERVICE_UNAVAILABLE');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      mongo.restore();
      await eventually(async () => expect((await asHolder(unknown)).status).toBe(200));
      expect((await known.send('DELETE', '/account/session')).status).toBe(204);
      expect((await asHolder(known)).status).toBe(401);
    },
    30_000,
  );
});

describe('while both stores are unavailable', () => {
  it('the gateway answers 503 with Retry-After and is not ready, and works again when the stores are back', async () => {
    const { key } = await world.customer();
    const { gateway, redis, mongo } = await breakable({ impatient: true });
    await ask(gateway, '/v1/signals', { key });
    for (const store of [redis, mongo]) {
      store.refuse();
      store.cut();
    }
    const startedAt = performance.now();
    const refused = await ask(gateway, '/v1/signals', { key });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(refused.status).toBe(503);
    expect(refused.body.error?.code).toBe('SERVICE_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(refused.headers.get('x-ratelimit-limit')).not.toBeNull();
    const readiness = await world.probe(gateway, '/readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({
      checks: { redis: 'failing', mongodb: 'failing', signals: 'ok' },
    });
    expect((await world.probe(gateway, '/healthz')).status).toBe(200);
    redis.restore();
    mongo.restore();
    await eventually(async () => {
      const back = await ask(gateway, '/v1/signals', { key });
      expect({ status: back.status, degraded: isDegraded(back) }).toEqual({ status: 200, degraded: false });
    });
  }, 20_000);
});
