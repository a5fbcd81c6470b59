import { newId } from '@sigcast/runtime';
import { eventually, openEventSource, startTcpProxy } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStreams } from '../src/proxy/open-streams.ts';
import { type AskRedis, askRedis } from '../src/store/ask-redis.ts';
import { redisStreamSlots } from '../src/store/stream-slots.ts';
import { World } from './harness.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
  world.upstream.answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('retry: 1000\nid: pos_1\n\n');
  };
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Calls to Redis that failed. */
let [failures, failuresAtBreaker] = [0, 0];
const countFailure = () => {
  failures += 1;
};
const countAtBreaker = () => {
  failuresAtBreaker += 1;
};
const closed = { closed: true, succeeded: () => undefined, failed: countAtBreaker };
const ask = askRedis({ breakerFor: () => closed, onFailure: countFailure });

describe('stream slots', () => {
  it('are free when their lease ends, as after the death of a gateway, and renewed ones stay taken', async () => {
    const slots = redisStreamSlots(world.redis, ask);
    const ending = redisStreamSlots(world.redis, ask, 500);
    const [account, full] = [newId('acct'), newId('acct')];
    for (const id of ['first', 'second']) expect(await slots.acquire(full, id, 2)).toBe(true);
    expect(await slots.acquire(full, 'refused', 2)).toBe(false);
    for (const id of ['kept', 'left']) expect(await ending.acquire(account, id, 2)).toBe(true);
    await slots.renew(new Map([[account, new Set(['kept'])]]));
    await eventually(async () => expect(await slots.acquire(account, 'next', 2)).toBe(true));
    expect(await slots.acquire(account, 'refused', 2)).toBe(false);
  });

  it('that are released during a renewal stay free', async () => {
    const slots = redisStreamSlots(world.redis, ask);
    const streams = new OpenStreams(slots, { perAddress: 1_000 });
    // More accounts than are renewed at once, so that the last waits for the first.
    const principals = Array.from({ length: 60 }, () => ({
      account: newId('acct'),
      keySha256: 'x',
      use: { scope: undefined, from: '203.0.113.1' },
    }));
    const taken = await Promise.all(principals.map((principal) => streams.acquire(principal, 'x', 1)));
    const renewed = slots.renew(streams.byAccount());
    for (const slot of taken) slot.release();
    await renewed;
    await Promise.all(principals.map((principal) => streams.acquire(principal, 'x', 1)));
  });

  it('are counted by each gateway for itself while Redis is unavailable', async () => {
    const streams = new OpenStreams(
      redisStreamSlots(world.redis, () => Promise.resolve('unavailable')),
      { perAddress: 100 },
    );
    const principal = {
      account: newId('acct'),
      keySha256: 'x',
      use: { scope: undefined, from: '203.0.113.1' },
    };
    const [first] = [await streams.acquire(principal, 'x', 2), await streams.acquire(principal, 'x', 2)];
    await expect(streams.acquire(principal, 'x', 2)).rejects.toMatchObject({ code: 'CONFLICT' });
    first?.release();
    await expect(streams.acquire(principal, 'x', 2)).resolves.toBeDefined();
  });
});

describe('calls to Redis', () => {
  it('about streams that fail are counted as failures of Redis, and the stream is admitted', async () => {
    const [before, beforeAtBreaker] = [failures, failuresAtBreaker];
    const account = newId('acct');
    await world.redis.set(`{${account}}:streams`, 'not a set');
    const slots = redisStreamSlots(world.redis, ask);
    expect(await slots.acquire(account, 'first', 1)).toBe(true);
    expect([failures, failuresAtBreaker]).toEqual([before + 1, beforeAtBreaker + 1]);
  });

  it('that run a wrong script reject, and are not counted as failures of Redis', async () => {
    const [before, beforeAtBreaker] = [failures, failuresAtBreaker];
    const wrong = ask('x', (key) => world.redis.eval('return nothing()', 1, key));
    await expect(wrong).rejects.toThrow('nothing');
    expect([failures, failuresAtBreaker]).toEqual([before, beforeAtBreaker]);
  });

  it('that run a wrong script leave no stream slot taken in this process', async () => {
    const wrong: AskRedis = (name) =>
      ask(name, (key) => world.redis.eval('return nothing()', 1, key) as never);
    const streams = new OpenStreams(redisStreamSlots(world.redis, wrong), { perAddress: 1 });
    const principal = {
      account: newId('acct'),
      keySha256: 'x',
      use: { scope: undefined, from: '203.0.113.1' },
    };
    await expect(streams.acquire(principal, 'x', 1)).rejects.toThrow('nothing');
    await expect(streams.acquire(principal, 'x', 1)).rejects.toThrow('nothing');
  });
});

describe('while MongoDB is unavailable', () => {
  it('open streams go on, and a revocation made meanwhile ends them when MongoDB is back', async () => {
    const { hostname, port } = new URL(world.stack.mongodbUri);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    const gateway = await world.gateway({
      mongodbUri: proxy.through(world.stack.mongodbUri),
      impatient: true,
    });
    const { key, sha256 } = await world.customer();
    // A busy machine may be silent for as long as this gateway waits for MongoDB.
    await using stream = await eventually(async () => {
      const opened = await openEventSource(`${gateway}/v1/stream`, { authorization: `Bearer ${key}` });
      if (opened.status === 200) return opened;
      await opened.close();
      throw new Error(`the stream was not opened: ${opened.status}`);
    });
    proxy.hang();
    await world.keys.revoke(sha256);
    let over = false;
    void stream.over.then(() => {
      over = true;
    });
    await eventually(async () => {
      const failures = await world.metric(gateway, 'sigcast_gateway_store_failures_total', {
        store: 'mongodb',
      });
      expect(failures).toBeGreaterThan(0);
    });
    expect(over).toBe(false);
    proxy.restore();
    expect(await stream.over).toBe('ended');
  });
});
