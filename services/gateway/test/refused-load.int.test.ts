import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import type { KeyBook } from '../src/domain/account.ts';
import { AdmissionDesk, addressLimit, type SharedCounters } from '../src/domain/admission.ts';
import { createApiKey } from '../src/domain/api-key.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { GatewayMetrics } from '../src/metrics.ts';
import { MongoKeyBook } from '../src/store/key-book.ts';
import { openSharedCounters } from '../src/store/open-shared-counters.ts';
import { ask, freshAddress, World } from './harness.ts';

let world: World;
let desk: AdmissionDesk;
/** Calls of the real stores, by name. */
const calls = { admitKey: 0, admitAddress: 0, find: 0 };

beforeAll(async () => {
  world = await World.start();
  const { models, redis } = world;
  const resources = new AsyncDisposableStack();
  world.defer(() => resources.disposeAsync());
  const truth = new MongoKeyBook({ models, clock: Date.now });
  const { counters } = await openSharedCounters({
    redis,
    models,
    book: truth,
    windowMs: 60_000,
    metrics: new GatewayMetrics(new Registry()),
    log: silentLogger(),
    resources,
  });
  const local = new LocalCounters({ windowMs: 60_000, clock: Date.now });
  const holders = { find: () => Promise.reject(new Error('no session is asked for here')) };
  desk = new AdmissionDesk({
    shared: counted<SharedCounters>(counters),
    book: counted<KeyBook>(truth),
    holders,
    local,
    clock: Date.now,
  });
  await eventually(async () => {
    expect(await desk.admit(undefined, freshAddress())).toMatchObject({ degraded: false });
  });
});
afterAll(async () => world[Symbol.asyncDispose]());

/** The same store; its calls are counted. */
function counted<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name in calls) calls[name as keyof typeof calls] += 1;
        return (member as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** What 500 requests, one after the other, cost and got, and how long they took. */
async function hammer(request: () => ReturnType<AdmissionDesk['admit']>) {
  const before = { ...calls };
  const startedAt = performance.now();
  const codes = new Set<string>();
  for (let i = 0; i < 500; i += 1) {
    const admission = await request();
    codes.add(admission.admitted ? 'admitted' : admission.error.code);
  }
  const tookMs = performance.now() - startedAt;
  const cost = { admitKey: calls.admitKey - before.admitKey, find: calls.find - before.find };
  return { codes: [...codes], tookMs, ...cost, admitAddress: calls.admitAddress - before.admitAddress };
}

const madeUp = (account: string) => createApiKey(account).text;

/** An address that has nothing left, as the desk knows. */
async function exhaustedAddress(): Promise<string> {
  const address = freshAddress();
  for (let i = 0; i < addressLimit; i += 1) await desk.admit(undefined, address);
  return address;
}

describe('an account with nothing left', () => {
  it('is refused without a store, but for a question every 100 ms', async () => {
    const { key } = await world.customer({ perMinute: 2 });
    const address = freshAddress();
    for (let i = 0; i < 2; i += 1) {
      expect(await desk.admit(`Bearer ${key}`, address)).toMatchObject({ admitted: true });
    }
    const { codes, tookMs, ...cost } = await hammer(() => desk.admit(`Bearer ${key}`, address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost.admitKey).toBeLessThanOrEqual(Math.ceil(tookMs / 100));
    expect([cost.find, cost.admitAddress]).toEqual([0, 0]);
  });

  it('is not known to whoever makes a key up for it', async () => {
    const { key, account } = await world.customer({ perMinute: 1 });
    const address = freshAddress();
    for (let i = 0; i < 2; i += 1) await desk.admit(`Bearer ${key}`, address);
    const guessed = await desk.admit(`Bearer ${madeUp(account)}`, address);
    expect(guessed).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
    expect(guessed.account).toBeUndefined();
  });

  it('is admitted soon after its limit was raised, and refused with the right code after its key was revoked', async () => {
    const { key, account, sha256 } = await world.customer({ perMinute: 1 });
    const gateway = await world.gateway();
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    await world.accounts.putPlan({ name: 'raised', perMinute: 3, perDay: 1_000 });
    await world.accounts.setPlan(account, 'raised');
    await world.announcer.announceAccount(account);
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200));
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    await world.accounts.revokeKey(sha256);
    await world.announcer.announceKey({ account, sha256 });
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401));
  });
});

describe('an address with nothing left', () => {
  it('is refused without a store when it shows no key', async () => {
    const address = await exhaustedAddress();
    const { codes, tookMs: _, ...cost } = await hammer(() => desk.admit('Bearer nonsense', address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost).toEqual({ admitKey: 0, find: 0, admitAddress: 0 });
  });

  it('has one made-up key a second looked up, however many it tries', async () => {
    const { account } = await world.customer();
    const address = await exhaustedAddress();
    const { codes, tookMs, ...cost } = await hammer(() => desk.admit(`Bearer ${madeUp(account)}`, address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost.find).toBeLessThanOrEqual(Math.ceil(tookMs / 1_000));
    expect(cost.admitAddress).toBe(0);
  });

  it('does not keep a good key from working that no gateway has seen yet', async () => {
    const { key } = await world.customer();
    expect(await desk.admit(`Bearer ${key}`, await exhaustedAddress())).toMatchObject({ admitted: true });
  });
});

describe('a key that the store does not know', () => {
  it('is looked up once a second, whoever shows it', async () => {
    const { account } = await world.customer();
    const key = madeUp(account);
    const { codes, tookMs, ...cost } = await hammer(() => desk.admit(`Bearer ${key}`, freshAddress()));
    expect(codes).toEqual(['UNAUTHORIZED']);
    expect(cost.find).toBeLessThanOrEqual(Math.ceil(tookMs / 1_000));
    expect(cost.admitKey).toBeLessThanOrEqual(Math.ceil(tookMs / 1_000));
  });
});
