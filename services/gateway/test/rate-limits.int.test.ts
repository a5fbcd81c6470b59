import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SlidingCount, slide, slidingRemaining } from '../src/domain/sliding-window.ts';
import { admissionScripts } from '../src/store/scripts.ts';
import { ask, freshAddress, World } from './harness.ts';

let world: World;
let gateway: string;
let other: string;
/** A gateway whose minute lasts two seconds, so that a test sees windows pass. */
let quick: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other, quick] = await Promise.all([
    world.gateway(),
    world.gateway(),
    world.gateway({ windowMs: 2_000 }),
  ]);
});
afterAll(async () => world[Symbol.asyncDispose]());

const remaining = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'));

describe('the minute', () => {
  it('is one count for all gateways: of 200 requests at once exactly the limit passes', async () => {
    const { key } = await world.customer({ perMinute: 60 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => ask(i % 2 ? gateway : other, '/v1/signals', { key })),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
    const told = answers.filter((answer) => answer.status === 200).map(remaining);
    expect(new Set(told).size).toBe(60);
  });

  it('is shared by all keys of an account, and by no other account', async () => {
    const { key, account } = await world.customer({ perMinute: 3 });
    const second = await world.accounts.createKey({
      account,
      name: 'second',
      environment: 'test',
      expiresAt: null,
    });
    expect(remaining(await ask(gateway, '/v1/signals', { key }))).toBe(2);
    expect(remaining(await ask(gateway, '/v1/signals', { key: second.text }))).toBe(1);
    const stranger = await world.customer({ perMinute: 3 });
    expect(remaining(await ask(gateway, '/v1/signals', { key: stranger.key }))).toBe(2);
  });

  it('charges nothing for refused requests: hammering does not put off the next one', async () => {
    const { key, account } = await world.customer({ perMinute: 2, perDay: 50 });
    for (let i = 0; i < 12; i += 1) await ask(gateway, '/v1/signals', { key });
    const counts = await world.redis.hgetall(`{${account}}:counts`);
    expect(Number(counts.n) + Number(counts.p)).toBe(2);
    expect(counts.u).toBe('2');
  });

  it('charges what the client got wrong like anything else', async () => {
    const { key } = await world.customer({ perMinute: 10 });
    expect(remaining(await ask(gateway, '/v1/nothing', { key }))).toBe(9);
    expect(remaining(await ask(gateway, '/v1/signals', { key, method: 'POST' }))).toBe(8);
  });
});

describe('the day', () => {
  it('refuses when it is used up, and then charges not even the minute', async () => {
    const { key, account } = await world.customer({ perMinute: 100, perDay: 3 });
    for (let i = 0; i < 3; i += 1) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const refused = await ask(gateway, '/v1/signals', { key });
    expect(refused.status).toBe(429);
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(midnight);
    expect(refused.body.error?.retry_after).toBeGreaterThanOrEqual(midnight - Math.ceil(Date.now() / 1000));
    expect((await world.redis.hgetall(`{${account}}:counts`)).n).toBe('3');
  });

  it('is what the headers are about as soon as less of it remains', async () => {
    const { key } = await world.customer({ perMinute: 10, perDay: 10 });
    const answer = await ask(gateway, '/v1/signals', { key });
    expect(Number(answer.headers.get('x-ratelimit-reset')) % 86_400).toBe(0);
    expect(remaining(answer)).toBe(9);
  });
});

describe('a lone client', () => {
  it('that obeys the headers never sees a 429', async () => {
    const { key } = await world.customer({ perMinute: 7 });
    const until = performance.now() + 9_000;
    let requests = 0;
    while (performance.now() < until) {
      const answer = await ask(quick, '/v1/signals', { key });
      expect(answer.status).toBe(200);
      requests += 1;
      if (remaining(answer) === 0) {
        await delay(Number(answer.headers.get('x-ratelimit-reset')) * 1000 - Date.now());
      }
    }
    // Obeying costs little: of about 31 that 9 s allow, whole seconds take a few.
    expect(requests).toBeGreaterThanOrEqual(14);
  }, 20_000);

  it('that waits for retry_after after a 429 is admitted', async () => {
    const { key } = await world.customer({ perMinute: 5 });
    for (let round = 0; round < 3; round += 1) {
      let answer = await ask(quick, '/v1/signals', { key });
      while (answer.status === 200) answer = await ask(quick, '/v1/signals', { key });
      expect(answer.status).toBe(429);
      await delay((answer.body.error?.retry_after ?? 0) * 1000);
      expect((await ask(quick, '/v1/signals', { key })).status).toBe(200);
    }
  }, 20_000);
});

describe('requests without a valid key', () => {
  it('are counted per client address, and over it are 429 whatever they try', async () => {
    const address = freshAddress();
    for (let i = 0; i < 60; i += 1) {
      const answer = await ask(i % 2 ? gateway : other, '/v1/signals', { address });
      expect(answer.status).toBe(401);
      expect(remaining(answer)).toBe(59 - i);
    }
    const refused = await ask(gateway, '/v1/signals', { address });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect((await ask(gateway, '/v1/signals')).status).toBe(401);
  });

  it('do not keep a valid key at the same address from working', async () => {
    const address = freshAddress();
    for (let i = 0; i < 61; i += 1) await ask(gateway, '/v1/signals', { address });
    const { key } = await world.customer();
    expect((await ask(gateway, '/v1/signals', { key, address })).status).toBe(200);
  });
});

describe('the script in Redis', () => {
  it('decides every request as the plain model does, at the instants of its own clock', async () => {
    const model = fc.record({
      windowMs: fc.integer({ min: 5, max: 60 }),
      limit: fc.integer({ min: 1, max: 12 }),
      requests: fc.integer({ min: 10, max: 80 }),
      inFlight: fc.integer({ min: 1, max: 6 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(model, async ({ windowMs, limit, requests, inFlight }) => {
        run += 1;
        let count: SlidingCount | undefined;
        for (let sent = 0; sent < requests; sent += inFlight) {
          const answers = await Promise.all(
            Array.from({ length: inFlight }, () =>
              admissionScripts().admitAddress(world.redis, [`{model-${run}}:m`], [windowMs, limit]),
            ),
          );
          for (const [admitted, nowMs = 0, ...counted] of answers as number[][]) {
            count = slide(count, nowMs, windowMs);
            const fits = slidingRemaining(count, { nowMs, windowMs, limit }) > 0;
            if (fits) count = { ...count, current: count.current + 1 };
            expect(admitted === 1).toBe(fits);
            expect(counted).toEqual([count.cell, count.current, count.previous]);
          }
        }
      }),
      { numRuns: 60 },
    );
  }, 30_000);
});

describe('plans', () => {
  it("follow an operator's change of an account's plan on the next request", async () => {
    const { key, account } = await world.customer({ perMinute: 5 });
    expect((await ask(gateway, '/v1/signals', { key })).headers.get('x-ratelimit-limit')).toBe('5');
    await world.accounts.putPlan({ name: 'large', perMinute: 500, perDay: 1_000_000 });
    await world.accounts.setPlan(account, 'large');
    await world.announcer.announceAccount(account);
    expect((await ask(gateway, '/v1/signals', { key })).headers.get('x-ratelimit-limit')).toBe('500');
  });

  it("are built in without overwriting an operator's change", async () => {
    expect(await world.accounts.findPlan('standard')).toMatchObject({ perMinute: 60, perDay: 10_000 });
    await world.accounts.putPlan({ name: 'standard', perMinute: 61, perDay: 10_000 });
    await world.gateway();
    expect(await world.accounts.findPlan('standard')).toMatchObject({ perMinute: 61 });
  });
});
