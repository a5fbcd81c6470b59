import { once } from 'node:events';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdmissionController } from '../src/domain/admission.ts';
import { parseApiKey } from '../src/domain/api-key.ts';
import type { Credentials, KeyRepository } from '../src/domain/credentials.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { standardPlan } from '../src/domain/plan.ts';
import { MongoKeyRepository } from '../src/store/key-repository.ts';
import { LastUse } from '../src/store/last-use.ts';
import { refreshAfterMs } from '../src/store/redis-counters.ts';
import { admissionScripts } from '../src/store/scripts.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { head, RawConnection } from './raw-connection.ts';

let world: World;
let first: string;
let second: string;

beforeAll(async () => {
  world = await World.start();
  [first, second] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());

async function expectAll(status: number, key: string): Promise<void> {
  expect((await ask(first, '/v1/signals', { key })).status).toBe(status);
  expect((await ask(second, '/v1/signals', { key })).status).toBe(status);
}

describe('revocation', () => {
  it('takes effect at every gateway from the next request on', async () => {
    const { key, sha256, account } = await world.customer();
    await expectAll(200, key);
    await world.keys.revoke(sha256);
    await world.propagator.propagateKey({ account, sha256 });
    await expectAll(401, key);
  });

  it('ends a request for a webhook whose body had yet to arrive, so that none is made after it', async () => {
    const { key, sha256 } = await world.customer();
    world.upstream.requests.length = 0;
    const connection = new RawConnection(first).send(
      head(
        ...['POST /v1/webhooks HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'],
        ...['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'],
      ),
    );
    // It is told to go on when the gateway has admitted it.
    await once(connection.socket, 'data');
    await world.keys.revoke(sha256);
    connection.send('{}');
    expect(await connection.closed).toContain('HTTP/1.1 401');
    expect(world.upstream.requests).toEqual([]);
  });

  it('while 50 clients use the key admits no request that was sent after the revocation was propagated', async () => {
    const { key, sha256, account } = await world.customer({ perMinute: 1_000_000, perDay: 10_000_000 });
    let revoked = false;
    let admitted = 0;
    const late: number[] = [];
    const client = async (gateway: string) => {
      for (;;) {
        const sentAfter = revoked;
        const { status } = await ask(gateway, '/v1/signals', { key });
        if (status === 200) admitted += 1;
        if (sentAfter) late.push(status);
        if (sentAfter) return;
      }
    };
    const clients = Array.from({ length: 50 }, (_, i) => client(i % 2 ? first : second));
    await eventually(() => expect(admitted).toBeGreaterThan(500));
    await world.keys.revoke(sha256);
    await world.propagator.propagateKey({ account, sha256 });
    revoked = true;
    await Promise.all(clients);
    expect(late).toEqual(Array.from({ length: 50 }, () => 401));
  });

  it('is not undone by a request that had read the key before and fills the cache after it', async () => {
    const { key, sha256, account } = await world.customer();
    const reading = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const repository = new MongoKeyRepository({ models: world.models, clock: Date.now });
    const paused: KeyRepository = {
      find: async (wanted): Promise<Credentials | undefined> => {
        const found = await repository.find(wanted);
        reading.resolve();
        await goOn.promise;
        return found;
      },
    };
    const shared = await world.sharedCounters(repository);
    const local = new LocalCounters({ windowMs: 60_000, clock: Date.now });
    const sessions = { find: () => Promise.reject(new Error('no session is asked for here')) };
    const controller = new AdmissionController({
      shared,
      keyRepository: paused,
      sessions,
      local,
      clock: Date.now,
    });

    const underWay = controller.admit(`Bearer ${key}`, '203.0.113.9');
    await reading.promise; // the request has read the key as valid
    await world.keys.revoke(sha256);
    await world.propagator.propagateKey({ account, sha256 });
    goOn.resolve();

    expect(await underWay).toMatchObject({ admitted: false, error: { code: 'UNAUTHORIZED' } });
    await expectAll(401, key);
  });

  it('is not undone by a gateway that was paused so long that its read is too old for the cache', async () => {
    const record = '{acct_test}:key:stopped';
    const [seconds] = await world.redis.time();
    const longAgo = Number(seconds) * 1000 - 60_000;
    const put = (readAtMs: number, rev: number) =>
      admissionScripts().putRecord(world.redis, [record], [readAtMs, 10_000, 60_000, rev, 'revoked', 0]);
    expect(await put(longAgo, 1)).toBe(0);
    expect(await world.redis.exists(record)).toBe(0);
    expect(await put(Number(seconds) * 1000, 1)).toBe(1);
  });

  it('that was stored and not propagated, because of a crash, is propagated by the gateways', async () => {
    const { key, sha256 } = await world.customer();
    await expectAll(200, key);
    await world.keys.revoke(sha256); // nothing propagates it: as after a crash
    await eventually(async () => expectAll(401, key));
    await eventually(async () => {
      expect(await world.models.keys.exists({ _id: sha256, announce: true })).toBeNull();
    });
  });

  it('does not affect the other keys of the account', async () => {
    const { sha256, account } = await world.customer();
    const other = await world.keys.create({
      account,
      name: 'b',
      environment: 'test',
      expiresAt: null,
    });
    await world.keys.revoke(sha256);
    await world.propagator.propagateKey({ account, sha256 });
    await expectAll(200, other.text);
  });
});

describe('expiry', () => {
  it('of a cached key takes effect at its instant at every gateway', async () => {
    const { key, sha256, account } = await world.customer();
    await expectAll(200, key);
    const expiresAtMs = Date.now() + 500;
    await world.keys.expire(sha256, new Date(expiresAtMs));
    await world.propagator.propagateKey({ account, sha256 });
    // Redis' clock is this machine's.
    for (let admitted = true; admitted; ) {
      const sentAtMs = Date.now();
      const { status, body } = await ask(first, '/v1/signals', { key });
      admitted = status === 200;
      if (admitted) expect(sentAtMs).toBeLessThan(expiresAtMs);
      else expect([body.error?.code, Date.now() >= expiresAtMs]).toEqual(['KEY_EXPIRED', true]);
    }
    await expectAll(401, key);
  });
});

describe('suspension', () => {
  it('takes effect at every gateway from the next request on, and its end soon after', async () => {
    const { key, account } = await world.customer();
    await expectAll(200, key);
    await world.accounts.setStatus(account, 'suspended');
    await world.propagator.propagateAccount(account);
    await expectAll(403, key);
    await world.accounts.setStatus(account, 'active');
    await world.propagator.propagateAccount(account);
    await eventually(() => expectAll(200, key));
  });
});

describe('cache entries in Redis', () => {
  it('are refreshed in the background when a request finds them old', async () => {
    const { key, account, plan, sha256 } = await world.customer({ perMinute: 5 });
    await expectAll(200, key);
    await world.accounts.putPlan({ ...standardPlan, name: plan, perMinute: 77, perDay: 1_000 });
    const aged = Date.now() - refreshAfterMs - 1_000;
    await world.redis.hset(`{${account}}:key:${sha256}`, 'at', aged);
    const fresh = await world.gateway(); // the others may have cached the plan's limits for some seconds
    await ask(fresh, '/v1/signals', { key });
    await eventually(async () => {
      expect((await world.redis.hgetall(`{${account}}:account`)).minute).toBe('77');
    });
  });

  it('are removed when a refresh finds that the key is not in MongoDB any more', async () => {
    const { key, account, sha256 } = await world.customer();
    await expectAll(200, key);
    await world.models.keys.deleteOne({ _id: sha256 });
    await world.redis.hset(`{${account}}:key:${sha256}`, 'at', 1);
    await eventually(async () => expectAll(401, key));
  });

  it('never hold the text of a key', async () => {
    const { key, account } = await world.customer();
    await expectAll(200, key);
    const keys = await world.redis.keys(`${world.stack.redisKeyPrefix}*${account}*`);
    expect(keys.length).toBeGreaterThan(2);
    expect(JSON.stringify(keys)).not.toContain(key.slice(-40));
    const stored = await world.models.keys.find({ account }).lean();
    expect(JSON.stringify(stored)).not.toContain(key.slice(-40));
  });
});

describe('last use', () => {
  it('of a key is written once a minute at most, over all gateways', async () => {
    const { sha256 } = await world.customer();
    let nowMs = Date.now();
    const gateways = [new LastUse(world.models, () => nowMs), new LastUse(world.models, () => nowMs)];
    const useEverywhere = async () => {
      for (const lastUse of gateways) {
        lastUse.note(sha256);
        await lastUse.write();
      }
      return (await world.models.keys.findById(sha256).lean())?.last_used_at?.getTime();
    };
    const start = nowMs;
    expect(await useEverywhere()).toBe(start);
    nowMs = start + 59_000;
    expect(await useEverywhere()).toBe(start);
    nowMs = start + 60_000;
    expect(await useEverywhere()).toBe(start + 60_000);
  });

  it('of a key is written after a request was admitted', async () => {
    const { key, sha256 } = await world.customer();
    expect(parseApiKey(key)?.sha256).toBe(sha256);
    await expectAll(200, key);
    await eventually(
      async () => {
        expect((await world.models.keys.findById(sha256).lean())?.last_used_at).toBeInstanceOf(Date);
      },
      { timeoutMs: 12_000 },
    );
  }, 15_000);
});
