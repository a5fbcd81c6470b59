import { SigcastError } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { type CallerCounted, RefusalCache } from '../src/domain/refusals.ts';
import { accountUsage, dayMs } from '../src/domain/usage.ts';

const windowMs = 60_000;
const limits = { perMinute: 5, perDay: 100 };
/** The time on the counters' clock, which is independent of the process' clock. */
const theirNowMs = 20_000 * dayMs;

/** The decision about a caller that has used `used` of five requests, in a minute that ends `leftMs` later. */
function counted(used: number, leftMs: number): CallerCounted {
  const minute = { used, endsMs: theirNowMs + leftMs };
  const usage = accountUsage({ nowMs: theirNowMs, windowMs }, limits, [
    minute,
    { used, endsMs: theirNowMs + dayMs },
  ]);
  return { caller: { account: 'acct_a' }, admitted: used <= 5, usage, degraded: false };
}

const at = (name: string, address = '198.51.100.1') => ({ name, address });

/** A cache of refusals whose clock a test moves. */
function cacheWithClock() {
  let nowMs = 1_000;
  const refusals = new RefusalCache(() => nowMs);
  return { refusals, ahead: (ms: number) => (nowMs += ms) };
}

const revoked = new SigcastError('UNAUTHORIZED', 'Invalid or missing API key');

describe('a caller over its limit', () => {
  it('is refused from the cache, with the same end and the time that is left until then', () => {
    const { refusals, ahead } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(5, 30_000), refusals.nowMs);
    ahead(99);
    expect(refusals.ofCaller('a')).toMatchObject({
      caller: { account: 'acct_a' },
      admitted: false,
      usage: { nowMs: theirNowMs + 99, minute: { used: 5, endsMs: theirNowMs + 30_000 } },
    });
  });

  it('is let through once in 100 ms to ask the counters, while other requests are refused', () => {
    const { refusals, ahead } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(5, 30_000), refusals.nowMs);
    for (let i = 0; i < 3; i += 1) {
      ahead(99);
      expect(refusals.ofCaller('a')).toBeDefined();
      ahead(1);
      expect(refusals.ofCaller('a')).toBeUndefined();
      expect(refusals.ofCaller('a')).toBeDefined();
    }
  });

  it('is not refused any more as soon as the counters admit it', () => {
    const { refusals } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(5, 30_000), refusals.nowMs);
    refusals.cacheCounted(at('a'), counted(4, 30_000), refusals.nowMs);
    expect(refusals.ofCaller('a')).toBeUndefined();
  });

  it('is not refused any more once its window has ended, measured from before the counters were asked', () => {
    const { refusals, ahead } = cacheWithClock();
    const askedAtMs = refusals.nowMs;
    ahead(40); // the stores took this long
    refusals.cacheCounted(at('a'), counted(5, 70), askedAtMs);
    ahead(29);
    expect(refusals.ofCaller('a')).toBeDefined();
    ahead(1);
    for (let i = 0; i < 2; i += 1) expect(refusals.ofCaller('a')).toBeUndefined();
  });

  it('is refused, while callers below their limit and unknown ones are not', () => {
    const { refusals } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(4, 30_000), refusals.nowMs);
    refusals.cacheCounted(at('b'), counted(5, 30_000), refusals.nowMs);
    expect(refusals.ofCaller('a')).toBeUndefined();
    expect(refusals.ofCaller('c')).toBeUndefined();
  });
});

describe('an address over its limit', () => {
  it('is refused from the cache until its window ends', () => {
    const { refusals, ahead } = cacheWithClock();
    refusals.cacheAddress('198.51.100.1', counted(5, 30_000), refusals.nowMs);
    ahead(29_999);
    expect(refusals.ofAddress('198.51.100.1')?.admitted).toBe(false);
    ahead(1);
    expect(refusals.ofAddress('198.51.100.1')).toBeUndefined();
  });

  it('may have five unfamiliar callers a second looked up', () => {
    const { refusals, ahead } = cacheWithClock();
    const lookUp = (address: string) => refusals.tryLookUp(at('unfamiliar', address));
    for (let second = 0; second < 2; second += 1) {
      for (let i = 0; i < 5; i += 1) expect(lookUp('198.51.100.1')).toBe(true);
      ahead(999);
      expect([lookUp('198.51.100.1'), lookUp(`198.51.100.${2 + second}`)]).toEqual([false, true]);
      ahead(1);
    }
  });

  it('never uses up a look-up for a caller that was valid at its last look-up from there', () => {
    const { refusals } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(4, 30_000), refusals.nowMs);
    const lookUps = () => Array.from({ length: 6 }, () => refusals.tryLookUp(at('a')));
    expect(lookUps()).toEqual([true, true, true, true, true, true]);
    const elsewhere = () => refusals.tryLookUp(at('a', '198.51.100.2'));
    expect(Array.from({ length: 6 }, elsewhere)).toEqual([true, true, true, true, true, false]);
    refusals.cacheError(at('a'), revoked, refusals.nowMs);
    expect(lookUps()).toEqual([true, true, true, true, true, false]);
  });
});

describe('a caller whose key or session is not valid', () => {
  it('is refused from the cache, except one request in 100 ms, which asks the stores', () => {
    const { refusals, ahead } = cacheWithClock();
    for (let i = 0; i < 3; i += 1) {
      refusals.cacheError(at('a'), revoked, refusals.nowMs);
      ahead(99);
      expect(refusals.ofCaller('a')).toBe(revoked);
      ahead(1);
      expect(refusals.ofCaller('a')).toBeUndefined();
      expect(refusals.ofCaller('a')).toBe(revoked);
    }
  });

  it('is not refused from the cache any more 200 ms after the stores were asked', () => {
    const { refusals, ahead } = cacheWithClock();
    const askedAtMs = refusals.nowMs;
    ahead(40); // the stores took this long
    refusals.cacheError(at('a'), revoked, askedAtMs);
    ahead(160);
    for (let i = 0; i < 2; i += 1) expect(refusals.ofCaller('a')).toBeUndefined();
  });

  it('is not refused any more as soon as it is admitted', () => {
    const { refusals } = cacheWithClock();
    refusals.cacheError(at('a'), revoked, refusals.nowMs);
    refusals.cacheCounted(at('a'), counted(4, 30_000), refusals.nowMs);
    expect(refusals.ofCaller('a')).toBeUndefined();
  });
});

describe('a key that the store does not know', () => {
  it('is refused for a minute', () => {
    const { refusals, ahead } = cacheWithClock();
    refusals.cacheUnknown('a');
    ahead(59_999);
    expect([refusals.isUnknown('a'), refusals.isUnknown('b')]).toEqual([true, false]);
    ahead(1);
    expect(refusals.isUnknown('a')).toBe(false);
  });

  it('does not displace cached refusals of callers', () => {
    const { refusals } = cacheWithClock();
    refusals.cacheCounted(at('a'), counted(5, 30_000), refusals.nowMs);
    for (let i = 0; i < 10_001; i += 1) {
      refusals.cacheUnknown(`${i}`);
      refusals.cacheError(at(`${i}`), revoked, refusals.nowMs);
    }
    expect(refusals.ofCaller('a')).toMatchObject({ admitted: false });
  });
});

it('the cache holds the refusals of the newest 10,000 callers', () => {
  const { refusals } = cacheWithClock();
  for (let i = 0; i < 10_001; i += 1) {
    refusals.cacheCounted(at(`${i}`), counted(5, 30_000), refusals.nowMs);
    refusals.cacheUnknown(`${i}`);
  }
  expect([refusals.ofCaller('0'), refusals.isUnknown('0')]).toEqual([undefined, false]);
  expect(refusals.ofCaller('1')).toMatchObject({ admitted: false });
  expect(refusals.isUnknown('1')).toBe(true);
});
