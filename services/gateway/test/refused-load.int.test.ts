import { accountAudience } from '@sigcast/contracts';
import { identityVerifier } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdmissionController, addressLimit, type SharedCounters } from '../src/domain/admission.ts';
import { createApiKey } from '../src/domain/api-key.ts';
import type { KeyRepository } from '../src/domain/credentials.ts';
import { readAccessToken, type SessionRepository } from '../src/domain/holder.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { standardPlan } from '../src/domain/plan.ts';
import { MongoKeyRepository } from '../src/store/key-repository.ts';
import { LookUps } from '../src/store/look-ups.ts';
import { mongoMembers } from '../src/store/members.ts';
import { accountWindows } from '../src/store/redis-counters.ts';
import { MongoSessionRepository } from '../src/store/session-repository.ts';
import { MongoSessions } from '../src/store/sessions.ts';
import { signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';

let world: World;
let gateway: string;
let controller: AdmissionController;
/** Calls of the real stores, by name. */
const calls = { admitKey: 0, admitAddress: 0, findKey: 0, findHolder: 0 };

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
  const { models } = world;
  const repository = new MongoKeyRepository({ models, clock: Date.now });
  const counters = await world.sharedCounters();
  const local = new LocalCounters({ windowMs: 60_000, clock: Date.now });
  const verify = identityVerifier('gateway', world.identityKeys.publicKey, accountAudience);
  const sessionRepository = new MongoSessionRepository({
    sessions: new MongoSessions(models, Date.now),
    accounts: world.accounts,
    members: mongoMembers(models, Date.now),
    limitsOf: (plan) => repository.planOf(plan),
    read: (accessToken) => readAccessToken(verify, accessToken),
    lookUps: new LookUps({ timeoutMs: 10_000 }),
    clock: Date.now,
  });
  controller = new AdmissionController({
    shared: counted<SharedCounters>(counters, { admitKey: 'admitKey', admitAddress: 'admitAddress' }),
    keyRepository: counted<KeyRepository>(repository, { find: 'findKey' }),
    sessions: counted<SessionRepository>(sessionRepository, { find: 'findHolder' }),
    local,
    clock: Date.now,
  });
  await eventually(async () => {
    expect(await controller.admit(undefined, freshAddress())).toMatchObject({ degraded: false });
  });
});
afterAll(async () => world[Symbol.asyncDispose]());

/** The same store; calls of the named methods are counted. */
function counted<Store extends object>(store: Store, names: Record<string, keyof typeof calls>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const counter = names[String(name)];
        if (counter !== undefined) calls[counter] += 1;
        return (member as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** Sends 500 requests, one after the other. @returns the distinct results, the calls of stores, and how long it took. */
async function hammer(request: () => ReturnType<AdmissionController['admit']>) {
  const before = { ...calls };
  const startedAt = performance.now();
  const codes = new Set<string>();
  for (let i = 0; i < 500; i += 1) {
    const admission = await request();
    codes.add(admission.admitted ? 'admitted' : admission.error.code);
  }
  const tookMs = performance.now() - startedAt;
  const cost = {
    admitKey: calls.admitKey - before.admitKey,
    admitAddress: calls.admitAddress - before.admitAddress,
    findKey: calls.findKey - before.findKey,
    findHolder: calls.findHolder - before.findHolder,
  };
  return { codes: [...codes], tookMs, cost };
}

const madeUp = (account: string) => createApiKey(account).text;

/** An address that has used up its limit, which the controller has cached. */
async function exhaustedAddress(): Promise<string> {
  const address = freshAddress();
  for (let i = 0; i < addressLimit; i += 1) await controller.admit(undefined, address);
  return address;
}

describe('an account over its limit', () => {
  it('is refused without asking a store, except once in 100 ms', async () => {
    const { key } = await world.customer({ perMinute: 2 });
    const address = freshAddress();
    for (let i = 0; i < 2; i += 1) {
      expect(await controller.admit(`Bearer ${key}`, address)).toMatchObject({ admitted: true });
    }
    const { codes, tookMs, cost } = await hammer(() => controller.admit(`Bearer ${key}`, address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost.admitKey).toBeLessThanOrEqual(Math.ceil(tookMs / 100));
    expect(cost).toMatchObject({ admitAddress: 0, findKey: 0, findHolder: 0 });
  });

  it('is not revealed by a made-up key of the account', async () => {
    const { key, account } = await world.customer({ perMinute: 1 });
    const address = freshAddress();
    for (let i = 0; i < 2; i += 1) await controller.admit(`Bearer ${key}`, address);
    const guessed = await controller.admit(`Bearer ${madeUp(account)}`, address);
    expect(guessed).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
    expect(guessed.account).toBeUndefined();
  });

  it('is admitted soon after its limit was raised, and gets 401 soon after its key was revoked', async () => {
    const { key, account, sha256 } = await world.customer({ perMinute: 1 });
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    await world.accounts.putPlan({ ...standardPlan, name: 'raised', perMinute: 3, perDay: 1_000 });
    await world.accounts.setPlan(account, 'raised');
    await world.propagator.propagate(account);
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200));
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    await world.keys.revoke(sha256);
    await world.propagator.propagate(account);
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401));
  });
});

describe('an address over its limit', () => {
  it('is refused without asking a store when it sends no key', async () => {
    const address = await exhaustedAddress();
    const { codes, cost } = await hammer(() => controller.admit('Bearer nonsense', address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost).toEqual({ admitKey: 0, admitAddress: 0, findKey: 0, findHolder: 0 });
  });

  it('has at most five unfamiliar callers a second looked up', async () => {
    const { account } = await world.customer();
    const address = await exhaustedAddress();
    let i = 0;
    const { codes, tookMs, cost } = await hammer(() => {
      i += 1;
      return controller.admit(`Bearer ${i % 2 === 0 ? madeUp(account) : `eyJ${i}`}`, address);
    });
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost.admitAddress).toBe(0);
    const most = 5 * Math.ceil(tookMs / 1_000);
    expect(cost.admitKey + cost.findHolder).toBeLessThanOrEqual(most);
    expect(cost.findKey).toBeLessThanOrEqual(most);
  });

  it('does not block a rarely used key while a neighbour repeats one unknown key', async () => {
    const { account, key } = await world.customer();
    const address = await exhaustedAddress();
    const unknown = madeUp(account);
    await hammer(() => controller.admit(`Bearer ${unknown}`, address));
    expect(await controller.admit(`Bearer ${key}`, address)).toMatchObject({ admitted: true });
  });

  it('does not block a key that was used before, whatever keys its neighbours send', async () => {
    const { account, key } = await world.customer();
    const address = await exhaustedAddress();
    expect(await controller.admit(`Bearer ${key}`, address)).toMatchObject({ admitted: true });
    for (let i = 0; i < 20; i += 1) {
      await controller.admit(`Bearer ${madeUp(account)}`, address);
      expect(await controller.admit(`Bearer ${key}`, address)).toMatchObject({ admitted: true });
    }
  });
});

describe('a caller that is not valid any more', () => {
  const revokedKey = async () => {
    const { key, sha256 } = await world.customer();
    await world.models.keys.updateOne({ _id: sha256 }, { revoked_at: new Date() }); // before anybody has read it
    return { token: key, code: 'UNAUTHORIZED' };
  };
  const expiredKey = async () => {
    const { key } = await world.customer({}, new Date(Date.now() - 1_000));
    return { token: key, code: 'KEY_EXPIRED' };
  };
  const suspendedKey = async () => {
    const { account, key } = await world.customer();
    await world.models.accounts.updateOne({ _id: account }, { status: 'suspended' });
    return { token: key, code: 'FORBIDDEN' };
  };
  const signedOut = async () => {
    const holder = await signedUp(gateway);
    expect(await controller.admit(`Bearer ${holder.token}`, freshAddress())).toMatchObject({
      admitted: true,
    });
    await holder.send('DELETE', '/account/session');
    return { token: holder.token, code: 'UNAUTHORIZED' };
  };
  const suspendedHolder = async () => {
    const holder = await signedUp(gateway);
    await world.accounts.setStatus(holder.id, 'suspended');
    return { token: holder.token, code: 'FORBIDDEN' };
  };

  it.each([
    ['with a revoked key', revokedKey],
    ['with an expired key', expiredKey],
    ['with a key of a suspended account', suspendedKey],
    ['that signed out', signedOut],
    ['that is signed in to a suspended account', suspendedHolder],
  ])('%s is refused without asking a store, except once in 100 ms', async (_what, make) => {
    const { token, code } = await make();
    const { codes, tookMs, cost } = await hammer(() => controller.admit(`Bearer ${token}`, freshAddress()));
    expect(codes).toEqual([code]);
    const most = Math.ceil(tookMs / 100);
    // The first request with a key that is not cached asks Redis twice: before and after it reads the key.
    expect(cost.admitKey + cost.findHolder).toBeLessThanOrEqual(most + 1);
    expect(cost.findKey).toBeLessThanOrEqual(1);
  });

  it.each([
    ['with a revoked key', revokedKey],
    ['that signed out', signedOut],
  ])('%s uses up one of the five look-ups a second of an exhausted address', async (_what, make) => {
    const { token } = await make();
    const address = await exhaustedAddress();
    const { codes, tookMs, cost } = await hammer(() => controller.admit(`Bearer ${token}`, address));
    expect(codes).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(cost.admitAddress).toBe(0);
    const seconds = Math.ceil(tookMs / 1_000);
    // The signed-out caller was valid at its last look-up, so its first look-up now uses up none.
    expect(cost.admitKey + cost.findHolder).toBeLessThanOrEqual(5 * seconds + 1);
  });
});

describe('a key that the store does not know', () => {
  it('is looked up once a minute, whoever sends it', async () => {
    const { account } = await world.customer();
    const key = madeUp(account);
    const { codes, cost } = await hammer(() => controller.admit(`Bearer ${key}`, freshAddress()));
    expect(codes).toEqual(['UNAUTHORIZED']);
    expect(cost).toMatchObject({ admitKey: 1, findKey: 1 });
  });

  it('leaves nothing in Redis for longer than a minute: it may name any account', async () => {
    const account = newId('acct', Date.now());
    await controller.admit(`Bearer ${madeUp(account)}`, freshAddress());
    const ttlMs = await world.redis.pttl(accountWindows(account));
    expect([ttlMs > 0, ttlMs <= 60_000]).toEqual([true, true]);
  });
});
