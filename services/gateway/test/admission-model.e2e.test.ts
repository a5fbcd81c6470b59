import { connectRedis } from '@sigcast/redis';
import { silentLogger } from '@sigcast/runtime';
import { modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SharedVerdict } from '../src/domain/admission.ts';
import type { Limits } from '../src/domain/plan.ts';
import { dayMs, reportUsage, type UsageReport } from '../src/domain/usage.ts';
import { askRedis } from '../src/store/ask-redis.ts';
import { MasterBreaker } from '../src/store/master-breakers.ts';
import { RedisCounters } from '../src/store/redis-counters.ts';
import { admissionScripts } from '../src/store/scripts.ts';
import { World } from './harness.ts';

/**
 * The counters of two gateways, each with its own connection to Redis, run the product's scripts with a clock that the test
 * moves. Their decisions are compared with a simple model.
 */
const windowMs = 60_000;
const startMs = Date.UTC(2026, 0, 1, 23, 50);

let world: World;
let clockKey: string;
let counters: RedisCounters[];
let accounts = 0;

beforeAll(async () => {
  world = await World.start();
  clockKey = `${world.stack.redisKeyPrefix}clock`;
  const scripts = admissionScripts(`
local function clock() return tonumber(redis.call('GET', '${clockKey}')) end
`);
  const resources = new AsyncDisposableStack();
  world.defer(() => resources.disposeAsync());
  counters = await Promise.all(
    [0, 1].map(async () => {
      const settings = { url: world.stack.redisUrl, keyPrefix: world.stack.redisKeyPrefix, timeoutMs: 1_500 };
      const redis = connectRedis(settings, silentLogger(), resources);
      await new Promise((resolve) => redis.once('ready', resolve));
      const breaker = new MasterBreaker(() => Promise.resolve());
      await breaker.tryNow();
      const ask = askRedis({ breakerFor: () => breaker, onFailure: () => undefined });
      return new RedisCounters({ redis, ask, windowMs, epochOf: () => 0, scripts });
    }),
  );
});
afterAll(async () => world[Symbol.asyncDispose]());

type Step = { readonly aheadMs: number; readonly requests: readonly (0 | 1)[] };

/** Windows of one account: which requests are charged to them, and where they are stored. */
const windowsOf = { keys: 'windows', sessions: 'session-windows' } as const;
type Whose = keyof typeof windowsOf;

/** Each step moves the clock by anything from 0 ms to two minutes, and then sends a few requests to either gateway. */
const stepsOf = (maxRequests: number) =>
  fc.array(
    fc.record({
      aheadMs: fc.oneof(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 8_000 }),
        fc.integer({ min: 20_000, max: 130_000 }),
        fc.constant(windowMs),
      ),
      requests: fc.array(fc.constantFrom(0 as const, 1 as const), { minLength: 1, maxLength: maxRequests }),
    }),
    { minLength: 3, maxLength: 40 },
  );

const limitsOf = fc.record({
  perMinute: fc.integer({ min: 1, max: 12 }),
  perDay: fc.integer({ min: 1, max: 60 }),
});

/** A request: with one of two keys that have limits of their own, or with another key. */
type Sent = { readonly key?: number; readonly cost: number };

class Client {
  readonly #account: string;
  readonly #limits: Limits;
  /** The limits of its keys, by the key's number; the others have none of their own. */
  readonly #own: readonly number[];
  #stamp: string | undefined;
  nowMs = startMs;

  private constructor(account: string, limits: Limits, own: readonly number[]) {
    this.#account = account;
    this.#limits = limits;
    this.#own = own;
  }

  /** A new account whose stamp both gateways know. */
  static async open(limits: Limits, own: readonly number[] = []): Promise<Client> {
    accounts += 1;
    const client = new Client(`acct_model${accounts}`, limits, own);
    await client.ahead(0);
    const answer = await client.#admit(0);
    client.#stamp = (answer as Extract<SharedVerdict, { kind: 'stale' }>).stamp;
    return client;
  }

  #admit(gateway: 0 | 1, { key, cost }: Sent = { cost: 1 }) {
    const limit = this.#own[key ?? -1];
    const own = limit === undefined ? undefined : { name: `key_${key}`, limit };
    const given = { stamp: this.#stamp, limits: this.#limits, cost, own };
    return (counters[gateway] as RedisCounters).admitKey(this.#account, given);
  }

  async ahead(ms: number): Promise<void> {
    this.nowMs += ms;
    await world.redis.set('clock', this.nowMs);
  }

  /** Sends requests at the same time, one to each of these gateways. */
  async send(
    gateways: readonly (0 | 1)[],
    sent?: Sent,
  ): Promise<{ admitted: boolean; report: UsageReport }[]> {
    const answers = await Promise.all(gateways.map((at) => this.#admit(at, sent)));
    return answers.map((answer) => {
      const verdict = answer as Extract<SharedVerdict, { usage: unknown }>;
      expect(verdict.kind).toMatch(/^(admitted|limited)$/);
      return { admitted: verdict.kind === 'admitted', report: reportUsage(verdict.usage) };
    });
  }

  /** One request of a session. @returns whether it was admitted. */
  async sendSignedIn(gateway: 0 | 1): Promise<boolean> {
    const answer = await (counters[gateway] as RedisCounters).admitSession(this.#account, this.#limits, 1);
    if (answer === 'unavailable') throw new Error('Redis did not answer');
    return answer.admitted;
  }

  /** What a key with a limit of its own has used, as it is stored. */
  async chargedToKey(key: number): Promise<number> {
    return Number(await world.redis.hget(`{${this.#account}}:key_${key}:window`, 'm'));
  }

  /** The stored counts of its windows. */
  async charged(whose: Whose = 'keys'): Promise<{ minute: number; day: number }> {
    const [minute, day] = await world.redis.hmget(`{${this.#account}}:${windowsOf[whose]}`, 'm', 'd');
    return { minute: Number(minute), day: Number(day) };
  }
}

/**
 * The model: a minute begins with the first request that is admitted after the last one ended and lasts
 * 60 s; a day is a day (UTC); a request needs room in both.
 */
class Model {
  readonly #limits: Limits;
  #beganMs = Number.NEGATIVE_INFINITY;
  minute = 0;
  #dayOf = 0;
  day = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Requests that fit at this instant. */
  room(nowMs: number): number {
    if (nowMs >= this.#beganMs + windowMs) this.minute = 0;
    if (dayOf(nowMs) !== this.#dayOf) this.day = 0;
    this.#dayOf = dayOf(nowMs);
    return Math.min(this.#limits.perMinute - this.minute, this.#limits.perDay - this.day);
  }

  admit(nowMs: number, cost = 1): void {
    if (this.room(nowMs) <= 0) throw new Error('there is no room');
    if (this.minute === 0) this.#beganMs = nowMs;
    this.minute = Math.min(this.minute + cost, this.#limits.perMinute);
    this.day = Math.min(this.day + cost, this.#limits.perDay);
  }

  /** When the minute ends: of one that has not begun, if it began now. */
  minuteEndsMs(nowMs: number): number {
    return (this.minute === 0 ? nowMs : this.#beganMs) + windowMs;
  }
}

const dayOf = (instantMs: number) => Math.floor(instantMs / dayMs);

describe('two gateways over one Redis', () => {
  it('admit what fits into the minute and the day, and count nothing for what they refuse', async () => {
    await fc.assert(
      fc.asyncProperty(limitsOf, stepsOf(8), async (limits, steps: Step[]) => {
        const client = await Client.open(limits);
        const model = new Model(limits);
        for (const { aheadMs, requests } of steps) {
          await client.ahead(aheadMs);
          const room = model.room(client.nowMs);
          const answers = await client.send(requests);
          const admitted = answers.filter((answer) => answer.admitted);
          expect(admitted).toHaveLength(Math.min(room, requests.length));
          for (const _ of admitted) model.admit(client.nowMs);
          if (admitted.length > 0)
            expect(await client.charged()).toEqual({ minute: model.minute, day: model.day });
        }
      }),
      modelRuns(300),
    );
  });

  it('count the sessions and the keys of an account in separate windows, by the same rule', async () => {
    await fc.assert(
      fc.asyncProperty(
        limitsOf,
        stepsOf(8),
        fc.infiniteStream(fc.boolean()),
        async (limits, steps, signedIn) => {
          const client = await Client.open(limits);
          const models = { keys: new Model(limits), sessions: new Model(limits) };
          for (const { aheadMs, requests } of steps) {
            await client.ahead(aheadMs);
            for (const gateway of requests) {
              const whose: Whose = signedIn.next().value ? 'sessions' : 'keys';
              const fits = models[whose].room(client.nowMs) > 0;
              const admitted =
                whose === 'sessions'
                  ? await client.sendSignedIn(gateway)
                  : (await client.send([gateway]))[0]?.admitted;
              expect(admitted).toBe(fits);
              if (!fits) continue;
              models[whose].admit(client.nowMs);
              expect(await client.charged(whose)).toEqual({
                minute: models[whose].minute,
                day: models[whose].day,
              });
            }
          }
        },
      ),
      modelRuns(100),
    );
  });

  it('count a key with a limit of its own in its window as well, and nothing anywhere for what one window refuses', async () => {
    const sentOf = fc.record({
      key: fc.constantFrom(0, 1, 2),
      cost: fc.constantFrom(1, 1, 1, 3),
    });
    await fc.assert(
      fc.asyncProperty(
        limitsOf,
        fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 })),
        stepsOf(6),
        fc.infiniteStream(sentOf),
        async (limits, own, steps, sending) => {
          const client = await Client.open(limits, own);
          const account = new Model(limits);
          const keys = own.map((perMinute) => new Model({ perMinute, perDay: Number.POSITIVE_INFINITY }));
          for (const { aheadMs, requests } of steps) {
            await client.ahead(aheadMs);
            for (const gateway of requests) {
              const sent = sending.next().value as { key: number; cost: number };
              const models = [account, keys[sent.key]].filter((model) => model !== undefined);
              const fits = models.every((model) => model.room(client.nowMs) > 0);
              const [answer] = await client.send([gateway], sent);
              expect(answer?.admitted).toBe(fits);
              if (fits) for (const model of models) model.admit(client.nowMs, sent.cost);
              const least = Math.min(...models.map((model) => model.room(client.nowMs)));
              expect(answer?.report.headline.remaining).toBe(least);
              if (!fits) continue;
              expect(await client.charged()).toEqual({ minute: account.minute, day: account.day });
              const charged = keys[sent.key];
              if (charged !== undefined) expect(await client.chargedToKey(sent.key)).toBe(charged.minute);
            }
          }
        },
      ),
      modelRuns(150),
    );
  });

  it('report with every request one fewer remaining, and the end of the window', async () => {
    await fc.assert(
      fc.asyncProperty(limitsOf, stepsOf(8), async (limits, steps: Step[]) => {
        const client = await Client.open(limits);
        const model = new Model(limits);
        for (const { aheadMs, requests } of steps) {
          await client.ahead(aheadMs);
          for (const gateway of requests) {
            const fits = model.room(client.nowMs) > 0;
            if (fits) model.admit(client.nowMs);
            const [answer] = await client.send([gateway]);
            expect(answer?.report.windows).toMatchObject([
              { remaining: limits.perMinute - model.minute, endsMs: model.minuteEndsMs(client.nowMs) },
              { remaining: limits.perDay - model.day, endsMs: (dayOf(client.nowMs) + 1) * dayMs },
            ]);
          }
        }
      }),
      modelRuns(100),
    );
  });
});
