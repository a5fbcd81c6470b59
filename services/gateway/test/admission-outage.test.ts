import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@sigcast/contracts';
import {
  AdmissionController,
  addressLimit,
  type SharedVerdict,
  type Unavailable,
} from '../src/domain/admission.ts';
import { createApiKey } from '../src/domain/api-key.ts';
import { LocalCounters } from '../src/domain/local-counters.ts';
import { accountUsage, dayMs } from '../src/domain/usage.ts';

const limits = { perMinute: 5, perDay: 100 };
const address = '198.51.100.1';

/** A controller whose stores fail when told to, and how often they were asked. */
function controllerWithStores() {
  const stores = { away: false, asked: 0 };
  const nowMs = Date.now();
  const exhausted = accountUsage({ nowMs, windowMs: 60_000 }, limits, [
    { used: 5, endsMs: nowMs + 60_000 },
    { used: 5, endsMs: nowMs + dayMs },
  ]);
  const never = () => Promise.reject(new Error('not to be asked'));
  const admitKey = async (): Promise<SharedVerdict | Unavailable> => {
    stores.asked += 1;
    return stores.away ? 'unavailable' : { kind: 'limited', usage: exhausted };
  };
  const controller = new AdmissionController({
    shared: {
      ...{ admitKey, admitAddress: async () => 'unavailable', admitSession: never, admitNamed: never },
      ...{ refund: never, usedToday: never, fill: never },
    },
    keyRepository: { find: () => Promise.reject(unavailable('The key store')) },
    sessions: { find: never },
    local: new LocalCounters({ windowMs: 60_000, clock: Date.now }),
    clock: Date.now,
  });
  const key = createApiKey('acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ').text;
  const code = async (text = key) => {
    const admission = await controller.admit(`Bearer ${text}`, address);
    return admission.admitted ? 'admitted' : admission.error.code;
  };
  return { stores, code };
}

describe('an outage of both stores', () => {
  it('forgets no refusal: who had nothing left still has nothing, and asks as seldom as before', async () => {
    const { stores, code } = controllerWithStores();
    expect(await code()).toBe('RATE_LIMIT_EXCEEDED');
    stores.away = true;
    const startedMs = performance.now();
    for (let n = 0; n < 5_000; n += 1) expect(await code()).toBe('RATE_LIMIT_EXCEEDED');
    // Once before, and once in 100 ms.
    expect(stores.asked).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - startedMs) / 100));
  });

  it('is charged to no address: what comes after it finds the address as it was', async () => {
    const { stores, code } = controllerWithStores();
    stores.away = true;
    for (let n = 0; n <= addressLimit; n += 1) expect(await code()).toBe('SERVICE_UNAVAILABLE');
    expect(await code('no key')).toBe('UNAUTHORIZED');
  });
});
