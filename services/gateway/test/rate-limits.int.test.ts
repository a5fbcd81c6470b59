import { setTimeout as delay } from 'node:timers/promises';
import { dayHookMs, modelRuns, untilDayLasts } from '@sigcast/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { standardPlan } from '../src/domain/plan.ts';
import { type Count, countNow } from '../src/domain/usage.ts';
import { admissionScripts } from '../src/store/scripts.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let other: string;
/** A gateway whose minute lasts a second, so that a test sees windows pass. */
let quick: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other, quick] = await Promise.all([
    world.gateway(),
    world.gateway(),
    world.gateway({ windowMs: 1_000 }),
  ]);
});
afterAll(async () => world[Symbol.asyncDispose]());

const remaining = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'));

describe('the minute limit', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('is counted over all gateways: of 200 requests at once exactly as many as the limit are admitted', async () => {
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
    const second = await world.keys.create({
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

  it('does not count refused requests, so that repeating them does not delay the next admission', async () => {
    const { key, account } = await world.customer({ perMinute: 2, perDay: 50 });
    for (let i = 0; i < 12; i += 1) await ask(gateway, '/v1/signals', { key });
    expect(await world.redis.hgetall(`{${account}}:windows`)).toMatchObject({ m: '2', d: '2' });
  });

  it('counts what reads much as several requests, as many as are left at most, and says so', async () => {
    const { key, account } = await world.customer({ perMinute: 16, perDay: 50 });
    const past = 'as_of=2026-01-01T00:00:00Z';
    const asked = async (path: string, method = 'GET') => {
      const answer = await ask(gateway, path, { key, method });
      return [answer.headers.get('x-ratelimit-cost'), remaining(answer)];
    };
    expect(await asked(`/v1/signals?${past}`)).toEqual(['5', 11]);
    expect(await asked('/v1/backtests')).toEqual([null, 10]);
    expect(await asked(`/v1/stats?${past}`, 'HEAD')).toEqual(['10', 0]);
    // Refused, and still told what it would cost.
    expect(await asked(`/v1/stats?${past}`)).toEqual(['10', 0]);
    expect(await world.redis.hgetall(`{${account}}:windows`)).toMatchObject({ m: '16', d: '16' });
    const another = await world.customer({ perMinute: 16, perDay: 4 });
    const answer = await ask(gateway, '/v1/backtests', { key: another.key, method: 'POST' });
    expect([answer.status === 429, remaining(answer)]).toEqual([false, 0]);
    expect(await world.redis.hgetall(`{${another.account}}:windows`)).toMatchObject({ d: '4' });
  });

  it('counts requests that fail with 404 or 405 like all others', async () => {
    const { key } = await world.customer({ perMinute: 10 });
    expect(remaining(await ask(gateway, '/v1/nothing', { key }))).toBe(9);
    expect(remaining(await ask(gateway, '/v1/signals', { key, method: 'POST' }))).toBe(8);
  });
});

describe('the daily limit', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('refuses when it is used up, and a refused request does not count in the minute either', async () => {
    const { key, account } = await world.customer({ perMinute: 100, perDay: 3 });
    for (let i = 0; i < 3; i += 1) expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const refused = await ask(gateway, '/v1/signals', { key });
    expect(refused.status).toBe(429);
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(midnight);
    expect(refused.body.error?.retry_after).toBeGreaterThanOrEqual(midnight - Math.ceil(Date.now() / 1000));
    expect((await world.redis.hgetall(`{${account}}:windows`)).m).toBe('3');
  });

  it('is the one in the headers when the minute has as much left', async () => {
    const { key } = await world.customer({ perMinute: 10, perDay: 10 });
    const answer = await ask(gateway, '/v1/signals', { key });
    expect(Number(answer.headers.get('x-ratelimit-reset')) % 86_400).toBe(0);
    expect(remaining(answer)).toBe(9);
  });
});

const endsAtMs = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-reset')) * 1000;

describe('a lone client', () => {
  it('that obeys the headers never gets a 429: each request leaves one fewer, and at Reset the whole limit is free', async () => {
    const { key } = await world.customer({ perMinute: 7 });
    let before = { remaining: 0, endsAtMs: 0 };
    for (let windows = 0; windows < 3; ) {
      const answer = await ask(quick, '/v1/signals', { key });
      const told = { remaining: remaining(answer), endsAtMs: endsAtMs(answer) };
      const begins = told.endsAtMs !== before.endsAtMs;
      expect([answer.status, told.remaining]).toEqual([200, begins ? 6 : before.remaining - 1]);
      if (begins) windows += 1;
      if (told.remaining === 0) await delay(told.endsAtMs - Date.now());
      before = told;
    }
  }, 30_000);

  it('that waits for retry_after after a 429 finds the whole limit free', async () => {
    const { key } = await world.customer({ perMinute: 5 });
    for (let round = 0; round < 3; round += 1) {
      let answer = await ask(quick, '/v1/signals', { key });
      expect({ status: answer.status, remaining: remaining(answer) }).toEqual({ status: 200, remaining: 4 });
      let askedAtMs = 0;
      while (answer.status === 200) {
        askedAtMs = Date.now();
        answer = await ask(quick, '/v1/signals', { key });
      }
      expect(answer.status).toBe(429);
      const seconds = answer.body.error?.retry_after ?? 0;
      // Redis' clock is this machine's.
      expect(seconds * 1000).toBeLessThan(endsAtMs(answer) - askedAtMs + 1_000);
      await delay(seconds * 1000);
    }
  }, 20_000);

  it('gets the same Reset for each request of a minute: 60 s after the first, rounded up', async () => {
    const { key } = await world.customer({ perMinute: 5 });
    const askedAtMs = Date.now();
    const first = await ask(gateway, '/v1/signals', { key });
    const answeredAtMs = Date.now();
    expect(endsAtMs(first)).toBeGreaterThanOrEqual(askedAtMs + 60_000);
    expect(endsAtMs(first)).toBeLessThan(answeredAtMs + 61_000);
    for (let i = 0; i < 6; i += 1) {
      expect(endsAtMs(await ask(i % 2 ? gateway : other, '/v1/signals', { key }))).toBe(endsAtMs(first));
    }
  });
});

describe('requests without a valid key', () => {
  it('are counted per client address over all gateways, and are 429 above 60 a minute', async () => {
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
  it('counts attempts under a name as countNow does, at the instants of its own clock', async () => {
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
        let count: Count | undefined;
        for (let sent = 0; sent < requests; sent += inFlight) {
          const answers = await Promise.all(
            Array.from({ length: inFlight }, () =>
              admissionScripts().admitNamed(world.redis, [`{model-${run}}:window`], [windowMs, limit]),
            ),
          );
          for (const [admitted, nowMs = 0, used, endsMs] of answers as number[][]) {
            count = countNow(count, nowMs, nowMs + windowMs);
            const fits = count.used < limit;
            if (fits) count = { ...count, used: count.used + 1 };
            expect(admitted === 1).toBe(fits);
            expect({ used, endsMs }).toEqual(count);
          }
        }
      }),
      modelRuns(60),
    );
  }, 30_000);
});

describe('plans', () => {
  it("take effect on the next request after an account's plan was changed", async () => {
    const { key, account } = await world.customer({ perMinute: 5 });
    expect((await ask(gateway, '/v1/signals', { key })).headers.get('x-ratelimit-limit')).toBe('5');
    await world.accounts.putPlan({ ...standardPlan, name: 'large', perMinute: 500, perDay: 1_000_000 });
    await world.accounts.setPlan(account, 'large');
    await world.propagator.propagate(account);
    expect((await ask(gateway, '/v1/signals', { key })).headers.get('x-ratelimit-limit')).toBe('500');
  });

  it("include a standard plan, and a gateway that starts does not overwrite an operator's change of it", async () => {
    expect(await world.accounts.findPlan('standard')).toMatchObject({ perMinute: 60, perDay: 10_000 });
    await world.accounts.putPlan({ ...standardPlan, name: 'standard', perMinute: 61, perDay: 10_000 });
    await world.gateway();
    expect(await world.accounts.findPlan('standard')).toMatchObject({ perMinute: 61 });
  });
});
