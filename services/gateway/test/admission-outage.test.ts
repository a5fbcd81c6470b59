import { unavailable } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import {
  AdmissionController,
  type AdmissionDeps,
  addressLimit,
  type SharedCounters,
  type SharedVerdict,
  type Unavailable,
} from '../src/domain/admission.ts';
import { createApiKey } from '../src/domain/api-key.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { networksFrom } from '../src/domain/networks.ts';
import { accountUsage, dayMs } from '../src/domain/usage.ts';

const limits = { perMinute: 5, perDay: 100 };
const address = '198.51.100.1';
const nowMs = Date.now();
const exhausted = accountUsage({ nowMs, windowMs: 60_000 }, limits, [
  { used: 5, endsMs: nowMs + 60_000 },
  { used: 5, endsMs: nowMs + dayMs },
]);

const never = () => Promise.reject(new Error('not to be asked'));

function controllerOf(deps: {
  shared: Partial<SharedCounters>;
  find: AdmissionDeps['keyRepository']['find'];
}) {
  const counters = { admitKey: never, admitAddress: never, admitSession: never, admitNamed: never };
  const controller = new AdmissionController({
    shared: { ...counters, refund: never, usedToday: never, ...deps.shared },
    keyRepository: { find: deps.find },
    sessions: { find: never },
    local: new LocalCounters({ windowMs: 60_000, clock: Date.now }),
    clock: Date.now,
  });
  const key = createApiKey('acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ').text;
  return async (text = key, from = address) => {
    const admission = await controller.admit(`Bearer ${text}`, from);
    return admission.admitted ? 'admitted' : admission.error.code;
  };
}

/** A controller with scripted stores. `stores.away` makes them unavailable, `stores.asked` counts the calls. */
function controllerWithStores() {
  const stores = { away: false, asked: 0 };
  const admitKey = async (): Promise<SharedVerdict | Unavailable> => {
    stores.asked += 1;
    return stores.away ? 'unavailable' : { kind: 'limited', usage: exhausted };
  };
  const code = controllerOf({
    shared: { admitKey, admitAddress: async () => 'unavailable' },
    find: () => Promise.reject(unavailable('The key store')),
  });
  return { stores, code };
}

describe('an outage of both stores', () => {
  it('keeps cached refusals in force: a caller over its limit is refused, and the stores are asked once in 100 ms', async () => {
    const { stores, code } = controllerWithStores();
    expect(await code()).toBe('RATE_LIMIT_EXCEEDED');
    stores.away = true;
    const startedMs = performance.now();
    for (let n = 0; n < 5_000; n += 1) expect(await code()).toBe('RATE_LIMIT_EXCEEDED');
    // Once before, and once in 100 ms.
    expect(stores.asked).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - startedMs) / 100));
  });

  it('counts nothing against the client address: after the outage the address has its whole limit', async () => {
    const { stores, code } = controllerWithStores();
    stores.away = true;
    for (let n = 0; n <= addressLimit; n += 1) expect(await code()).toBe('SERVICE_UNAVAILABLE');
    expect(await code('no key')).toBe('UNAUTHORIZED');
  });
});

it('requests that come at once with a key that is not cached look it up once', async () => {
  let lookUps = 0;
  const code = controllerOf({
    shared: {
      admitKey: async (_account, { stamp }) =>
        stamp === 'now' ? { kind: 'limited', usage: exhausted } : { kind: 'stale', stamp: 'now' },
    },
    find: async () => {
      lookUps += 1;
      const restrictions = { scopes: null, networks: null, perMinute: null };
      return { revoked: false, expiresAtMs: null, status: 'active', limits, restrictions };
    },
  });
  const codes = await Promise.all(Array.from({ length: 100 }, () => code()));
  expect([new Set(codes), lookUps]).toEqual([new Set(['RATE_LIMIT_EXCEEDED']), 1]);
});

it('a key over its limit says so in its networks alone: elsewhere it is refused for the network, cached or not', async () => {
  const code = controllerOf({
    shared: {
      admitKey: async (_account, { stamp }) =>
        stamp === 'now' ? { kind: 'limited', usage: exhausted } : { kind: 'stale', stamp: 'now' },
      admitAddress: async () => ({ admitted: true, usage: exhausted }),
    },
    find: async () => {
      const restrictions = { scopes: null, networks: networksFrom([`${address}/32`]), perMinute: null };
      return { revoked: false, expiresAtMs: null, status: 'active', limits, restrictions };
    },
  });
  const codes = [await code(), await code(undefined, '203.0.113.1'), await code()];
  expect(codes).toEqual(['RATE_LIMIT_EXCEEDED', 'NETWORK_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED']);
});
