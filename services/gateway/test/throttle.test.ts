import { describe, expect, it } from 'vitest';
import type { SharedCounters } from '../src/domain/admission.ts';
import { Throttle } from '../src/domain/throttle.ts';

describe('a throttle without Redis', () => {
  it('takes back an attempt that its rule does not limit', async () => {
    const unavailable = async () => 'unavailable' as const;
    const shared = { admitNamed: unavailable, refund: unavailable } as unknown as SharedCounters;
    const throttle = new Throttle(shared, Date.now);
    const rule = { name: 'sign-in-from', limit: 2, windowMs: 60_000 };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await throttle.charge(rule, 'somebody');
      await throttle.refund(rule, 'somebody');
    }
    for (let attempt = 0; attempt < 2; attempt += 1) await throttle.charge(rule, 'somebody');
    await expect(throttle.charge(rule, 'somebody')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });
});
