import { describe, expect, it } from '@jest/globals';
import { type CallerCounted, Refusals } from '../src/domain/refusals.ts';
import { accountUsage, dayMs } from '../src/domain/usage.ts';

const windowMs = 60_000;
const limits = { perMinute: 5, perDay: 100 };
/** The counters' clock, which has nothing to do with the process' own. */
const theirNowMs = 20_000 * dayMs;

/** A caller that used `used` of five, in a minute that ends `leftMs` after the counters looked. */
function counted(used: number, leftMs: number): CallerCounted {
  const minute = { used, endsMs: theirNowMs + leftMs };
  const usage = accountUsage({ nowMs: theirNowMs, windowMs }, limits, [
    minute,
    { used, endsMs: theirNowMs + dayMs },
  ]);
  return { caller: { account: 'acct_a' }, admitted: used <= 5, usage, degraded: false };
}

function atHand() {
  let nowMs = 1_000;
  const refusals = new Refusals(() => nowMs);
  return { refusals, ahead: (ms: number) => (nowMs += ms) };
}

describe('a caller with nothing left', () => {
  it('is refused again, with the same end and the time that is left until then', () => {
    const { refusals, ahead } = atHand();
    refusals.noteCaller('a', counted(5, 30_000), refusals.nowMs);
    ahead(99);
    expect(refusals.ofCaller('a')).toMatchObject({
      caller: { account: 'acct_a' },
      admitted: false,
      usage: { nowMs: theirNowMs + 99, minute: { used: 5, endsMs: theirNowMs + 30_000 } },
    });
  });

  it('is asked about by one request every 100 ms, while the others are refused', () => {
    const { refusals, ahead } = atHand();
    refusals.noteCaller('a', counted(5, 30_000), refusals.nowMs);
    for (let i = 0; i < 3; i += 1) {
      ahead(99);
      expect(refusals.ofCaller('a')).toBeDefined();
      ahead(1);
      expect(refusals.ofCaller('a')).toBeUndefined();
      expect(refusals.ofCaller('a')).toBeDefined();
    }
  });

  it('is refused no more as soon as the counters admit it, or refuse it for another reason', () => {
    const { refusals } = atHand();
    refusals.noteCaller('a', counted(5, 30_000), refusals.nowMs);
    refusals.noteCaller('a', counted(4, 30_000), refusals.nowMs);
    refusals.noteCaller('b', counted(5, 30_000), refusals.nowMs);
    refusals.forgetCaller('b');
    expect([refusals.ofCaller('a'), refusals.ofCaller('b')]).toEqual([undefined, undefined]);
  });

  it('is not refused again once its window has ended, reckoned from before the counters were asked', () => {
    const { refusals, ahead } = atHand();
    const askedAtMs = refusals.nowMs;
    ahead(40); // so long did they take
    refusals.noteCaller('a', counted(5, 70), askedAtMs);
    ahead(29);
    expect(refusals.ofCaller('a')).toBeDefined();
    ahead(1);
    for (let i = 0; i < 2; i += 1) expect(refusals.ofCaller('a')).toBeUndefined();
  });

  it('is told apart from one that has something left, and from others', () => {
    const { refusals } = atHand();
    refusals.noteCaller('a', counted(4, 30_000), refusals.nowMs);
    refusals.noteCaller('b', counted(5, 30_000), refusals.nowMs);
    expect(refusals.ofCaller('a')).toBeUndefined();
    expect(refusals.ofCaller('c')).toBeUndefined();
  });
});

describe('an address with nothing left', () => {
  it('is refused again until its window ends', () => {
    const { refusals, ahead } = atHand();
    refusals.noteAddress('198.51.100.1', counted(5, 30_000), refusals.nowMs);
    ahead(29_999);
    expect(refusals.ofAddress('198.51.100.1')?.admitted).toBe(false);
    ahead(1);
    expect(refusals.ofAddress('198.51.100.1')).toBeUndefined();
  });

  it('has one key a second looked up', () => {
    const { refusals, ahead } = atHand();
    expect(refusals.takeLookUp('198.51.100.1')).toBe(true);
    expect(refusals.takeLookUp('198.51.100.2')).toBe(true);
    ahead(999);
    expect(refusals.takeLookUp('198.51.100.1')).toBe(false);
    ahead(1);
    expect(refusals.takeLookUp('198.51.100.1')).toBe(true);
  });
});

describe('a key that the store does not know', () => {
  it('is unknown for a second and no longer: one that is made meanwhile is found', () => {
    const { refusals, ahead } = atHand();
    refusals.noteUnknown('a');
    ahead(999);
    expect([refusals.isUnknown('a'), refusals.isUnknown('b')]).toEqual([true, false]);
    ahead(1);
    expect(refusals.isUnknown('a')).toBe(false);
  });
});

it('of ever new callers, the newest 10,000 are kept and no more', () => {
  const { refusals } = atHand();
  for (let i = 0; i < 10_001; i += 1) {
    refusals.noteCaller(`${i}`, counted(5, 30_000), refusals.nowMs);
    refusals.noteUnknown(`${i}`);
  }
  expect([refusals.ofCaller('0'), refusals.isUnknown('0')]).toEqual([undefined, false]);
  expect([refusals.ofCaller('1')?.admitted, refusals.isUnknown('1')]).toEqual([false, true]);
});
