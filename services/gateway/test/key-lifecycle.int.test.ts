import { once } from 'node:events';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdmissionController } from '../src/domain/admission.ts';
import { parseApiKey } from '../src/domain/api-key.ts';
import type { Credentials, KeyRepository } from '../src/domain/credentials.ts';
import { KeyCache, readAgainAfterMs } from '../src/domain/key-cache.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { standardPlan } from '../src/domain/plan.ts';
import { MongoKeyRepository } from '../src/store/key-repository.ts';
import { LastUse } from '../src/store/last-use.ts';
import { accountWindows } from '../src/store/redis-counters.ts';
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
    await world.propagator.propagate(account);
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
    await world.propagator.propagate(account);
    revoked = true;
    await Promise.all(clients);
    expect(late).toEqual(Array.from({ length: 50 }, () => 401));
  });

  it('is not undone by a request that had read the key before and caches it after it', async () => {
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
    const shared = await world.sharedCounters();
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
    await world.propagator.propagate(account);
    goOn.resolve();

    expect(await underWay).toMatchObject({ admitted: false, error: { code: 'UNAUTHORIZED' } });
  });

  it('that a master has lost is propagated once more when it is asked for again', async () => {
    const { key, sha256, account } = await world.customer();
    await expectAll(200, key);
    const windows = accountWindows(account);
    const before = await world.redis.dumpBuffer(windows);
    await world.keys.revoke(sha256);
    await world.propagator.propagate(account);
    await world.redis.restore(windows, 0, before, 'REPLACE');
    await expectAll(200, key);
    await world.propagator.propagate(account);
    await expectAll(401, key);
  });

  it('that was stored and not propagated, because of a crash, is propagated by the gateways', async () => {
    const { key, sha256 } = await world.customer();
    await expectAll(200, key);
    await world.keys.revoke(sha256); // nothing propagates it: as after a crash
    await eventually(async () => expectAll(401, key));
    await eventually(async () => {
      expect(await world.models.keys.exists({ _id: sha256, pending: true })).toBeNull();
    });
  });

  it('does not affect the other keys of the account, from whose limits refused requests take nothing', async () => {
    const { key, sha256, account } = await world.customer({ perMinute: 10 });
    const other = await world.keys.create({
      account,
      name: 'b',
      environment: 'test',
      expiresAt: null,
    });
    await world.keys.revoke(sha256);
    await world.propagator.propagate(account);
    await expectAll(401, key);
    const { status, headers } = await ask(first, '/v1/signals', { key: other.text });
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '9']);
  });
});

describe('expiry', () => {
  it('of a cached key takes effect at its instant at every gateway', async () => {
    const { key, sha256, account } = await world.customer();
    await expectAll(200, key);
    const expiresAtMs = Date.now() + 500;
    await world.expireKey(sha256, new Date(expiresAtMs));
    await world.propagator.propagate(account);
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
    await world.propagator.propagate(account);
    await expectAll(403, key);
    await world.accounts.setStatus(account, 'active');
    await world.propagator.propagate(account);
    await eventually(() => expectAll(200, key));
  });
});

describe('cached keys', () => {
  const cached = async (plan: { perMinute?: number }) => {
    const customer = await world.customer(plan);
    let nowMs = Date.now();
    const repository = new MongoKeyRepository({ models: world.models, clock: () => nowMs });
    const cache = new KeyCache(repository, () => nowMs);
    const key = { account: customer.account, sha256: customer.sha256 };
    await cache.read(key, 'a stamp');
    const age = () => {
      nowMs += readAgainAfterMs;
    };
    return { ...customer, age, found: () => cache.get(key)?.found };
  };

  it('are read again in the background when a request finds them old, so that a changed plan takes effect', async () => {
    const { plan, age, found } = await cached({ perMinute: 5 });
    expect(found()?.limits.perMinute).toBe(5);
    await world.accounts.putPlan({ ...standardPlan, name: plan, perMinute: 77, perDay: 1_000 });
    age();
    await eventually(() => expect(found()?.limits.perMinute).toBe(77));
  });

  it('are forgotten when they are read again and are not in MongoDB any more', async () => {
    const { sha256, age, found } = await cached({});
    await world.models.keys.deleteOne({ _id: sha256 });
    age();
    await eventually(() => expect(found()).toBeUndefined());
  });
});

describe('the stores', () => {
  it('never hold the text of a key', async () => {
    const { key, account } = await world.customer();
    await expectAll(200, key);
    const keys = await world.redis.keys(`${world.stack.redisKeyPrefix}*${account}*`);
    expect(keys.length).toBeGreaterThan(0);
    const windows = await world.redis.hgetall(accountWindows(account));
    expect(JSON.stringify([keys, windows])).not.toContain(key.slice(-40));
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
        lastUse.note(sha256, '203.0.113.1');
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
