import { describe, expect, it } from 'vitest';
import { LocalCounters, maxLocalCounts } from '../src/domain/local-counters.ts';
import { accountUsage, countNow, dayMs, reportUsage, retryAfterS, tooMany } from '../src/domain/usage.ts';

const windowMs = 60_000;
const noon = 20_000 * dayMs + dayMs / 2;
const midnight = 20_001 * dayMs;
const limits = { perMinute: 60, perDay: 10_000 };

/** The report at `nowMs` about a minute that ends at `endsMs`. */
function report(nowMs: number, used: number, usedToday: number, endsMs = nowMs + windowMs) {
  const day = { used: usedToday, endsMs: midnight };
  return reportUsage(accountUsage({ nowMs, windowMs }, limits, [{ used, endsMs }, day]));
}

describe('a window', () => {
  it('counts until its end, and a new one begins at that instant', () => {
    const count = { used: 7, endsMs: noon };
    expect(countNow(count, noon - 1, noon - 1 + windowMs)).toBe(count);
    expect(countNow(count, noon, noon + windowMs)).toEqual({ used: 0, endsMs: noon + windowMs });
  });

  it('that began in the future, because a clock stepped back, is replaced by a new one', () => {
    const count = { used: 7, endsMs: noon + windowMs + 1 };
    expect(countNow(count, noon, noon + windowMs)).toEqual({ used: 0, endsMs: noon + windowMs });
  });
});

describe('the headline of a report', () => {
  it('is about the window with the least remaining', () => {
    expect(report(noon, 10, 10).headline).toMatchObject({ name: 'minute', limit: 60, remaining: 50 });
    expect(report(noon, 10, 9_960).headline).toMatchObject({ name: 'day', limit: 10_000, remaining: 40 });
  });

  it('is about the day on a tie', () => {
    expect(report(noon, 10, 9_950).headline.name).toBe('day');
  });

  it('is about the window that ends last when both are used up', () => {
    expect(report(noon, 60, 10_000).headline).toMatchObject({ name: 'day', remaining: 0 });
    expect(report(midnight - 5_000, 60, 10_000).headline).toMatchObject({ name: 'minute', remaining: 0 });
  });

  it('is about the key’s own window when that has the least remaining, and about the one that ends last when several are used up', () => {
    const used = (own: number, endsMs: number, minute = 10) =>
      reportUsage(
        accountUsage(
          { nowMs: noon, windowMs },
          limits,
          [
            { used: minute, endsMs: noon + 20_000 },
            { used: 10, endsMs: midnight },
          ],
          { used: own, endsMs, limit: 5 },
        ),
      );
    expect(used(1, noon + 9_000).headline).toMatchObject({ name: 'key', limit: 5, remaining: 4 });
    expect(used(5, noon + 30_000, 60).headline).toMatchObject({ name: 'key', remaining: 0 });
    expect(used(5, noon + 10_000, 60).headline).toMatchObject({ name: 'minute', remaining: 0 });
    expect(used(1, noon + 9_000).windows.map(({ name }) => name)).toEqual(['minute', 'day', 'key']);
  });

  it('has the end of the window, whatever remains', () => {
    for (const used of [0, 59, 60])
      expect(report(noon, used, 60, noon + 1_234).headline.endsMs).toBe(noon + 1_234);
    expect(report(noon, 0, 10_000).headline.endsMs).toBe(midnight);
  });

  it('has nothing remaining when more was used than a lowered limit allows', () => {
    expect(report(noon, 70, 70).headline.remaining).toBe(0);
  });

  it.each([
    [1, 1],
    [999, 1],
    [1_000, 1],
    [1_001, 2],
    [59_999, 60],
    [60_000, 60],
  ])('becomes retry_after, rounded up to whole seconds: %i ms before the end it is %i', (leftMs, seconds) => {
    expect(retryAfterS(report(noon, 60, 60, noon + leftMs))).toBe(seconds);
  });
});

describe('local counters', () => {
  const limits = { perMinute: 5, perDay: 8 };
  const windows = (used: number, usedToday: number, nowMs: number) =>
    accountUsage({ nowMs, windowMs }, limits, [
      { used, endsMs: nowMs + 10_000 },
      { used: usedToday, endsMs: midnight },
    ]);

  it('refuse what either window refuses, and then count in neither', () => {
    let nowMs = noon;
    const counters = new LocalCounters({ windowMs, clock: () => nowMs });
    const take = () => counters.admitAccount('keys', 'acct_a', limits);
    for (let i = 0; i < 5; i += 1) expect(take().admitted).toBe(true);
    for (let i = 0; i < 20; i += 1) expect(take().admitted).toBe(false);
    nowMs += 2 * windowMs;
    for (let i = 0; i < 3; i += 1) expect(take().admitted).toBe(true);
    expect(take()).toMatchObject({ admitted: false, usage: { day: { used: 8 } } });
    nowMs += dayMs;
    expect(take().admitted).toBe(true);
  });

  it('count an expensive request as several, or as many as a window has left', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    const take = (cost: number) => counters.admitAccount('keys', 'acct_a', limits, cost);
    expect(take(3)).toMatchObject({ admitted: true, usage: { minute: { used: 3 }, day: { used: 3 } } });
    expect(take(3)).toMatchObject({ admitted: true, usage: { minute: { used: 5 }, day: { used: 6 } } });
    expect(take(3)).toMatchObject({ admitted: false, usage: { minute: { used: 5 }, day: { used: 6 } } });
  });

  it('count a key with a limit of its own from its last shared result, and nothing of the account for what it refuses', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    const own = { name: 'key_a', limit: 3 };
    const usage = { ...windows(1, 1, noon), key: { used: 1, endsMs: noon + 10_000, limit: 3 } };
    counters.note('keys', 'acct_a', usage, own);
    const take = (limit = own) => counters.admitAccount('keys', 'acct_a', limits, 1, limit);
    expect(take()).toMatchObject({ admitted: true, usage: { key: { used: 2, endsMs: noon + 10_000 } } });
    expect(take().admitted).toBe(true);
    expect(take()).toMatchObject({ admitted: false, usage: { minute: { used: 3 }, key: { used: 3 } } });
    expect(take({ name: 'key_b', limit: 1 })).toMatchObject({
      admitted: true,
      usage: { minute: { used: 4 } },
    });
  });

  it('continue from the last result of the shared counters', () => {
    let nowMs = noon;
    const counters = new LocalCounters({ windowMs, clock: () => nowMs });
    const take = () => counters.admitAccount('keys', 'acct_a', limits);
    counters.note('keys', 'acct_a', windows(3, 5, noon));
    expect(take()).toMatchObject({ admitted: true, usage: { minute: { used: 4, endsMs: noon + 10_000 } } });
    expect(take().admitted).toBe(true);
    expect(take().admitted).toBe(false);
    nowMs += 10_000;
    expect(take()).toMatchObject({ admitted: true, usage: { minute: { used: 1 }, day: { used: 8 } } });
    expect(take().admitted).toBe(false);
  });

  it('continue on the clock of the shared counters, so that windows end when those said', () => {
    let nowMs = noon;
    const counters = new LocalCounters({ windowMs, clock: () => nowMs });
    const theirs = noon + 7_000_000;
    counters.note('keys', 'acct_a', windows(5, 5, theirs));
    nowMs += 9_999;
    expect(counters.admitAccount('keys', 'acct_a', limits)).toMatchObject({
      admitted: false,
      usage: { nowMs: theirs + 9_999, minute: { endsMs: theirs + 10_000 } },
    });
    nowMs += 1;
    expect(counters.admitAccount('keys', 'acct_a', limits).admitted).toBe(true);
  });

  it('count each account separately', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    for (let i = 0; i < 9; i += 1) counters.admitAccount('keys', 'acct_a', limits);
    expect(counters.admitAccount('keys', 'acct_b', limits).admitted).toBe(true);
  });

  it('hold a bounded number of accounts, and drop the one that was counted longest ago', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    for (const first of ['acct_a', 'acct_b']) counters.note('keys', first, windows(5, 5, noon));
    for (let i = 0; i < maxLocalCounts - 2; i += 1) counters.note('keys', `acct_${i}`, windows(5, 5, noon));
    counters.note('keys', 'acct_a', windows(5, 5, noon));
    counters.note('keys', 'acct_new', windows(5, 5, noon));
    expect(counters.admitAccount('keys', 'acct_a', limits).admitted).toBe(false);
    expect(counters.admitAccount('keys', 'acct_b', limits).admitted).toBe(true);
  });

  it('count the keys of an account and its sessions separately', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    counters.note('keys', 'acct_a', windows(5, 5, noon));
    counters.note('sessions', 'acct_a', windows(2, 2, noon));
    expect(counters.admitAccount('keys', 'acct_a', limits).admitted).toBe(false);
    expect(counters.admitAccount('sessions', 'acct_a', limits)).toMatchObject({
      admitted: true,
      usage: { minute: { used: 3 }, day: { used: 3 } },
    });
  });

  it('drop no account when there are many addresses', () => {
    const counters = new LocalCounters({ windowMs, clock: () => noon });
    counters.note('keys', 'acct_a', windows(5, 5, noon));
    for (let i = 0; i <= maxLocalCounts; i += 1) counters.admitNamed(`${i}`, 60);
    expect(counters.admitAccount('keys', 'acct_a', limits).admitted).toBe(false);
  });
});

it.each([
  [1, '1 s'],
  [120, '120 s'],
  [121, '3 min'],
  [3_600, '1 h'],
  [11_672, '3 h 15 min'],
])('a refusal for %i s says "try again in %s", and gives programs the seconds', (seconds, text) => {
  const { message, retryAfterS: inSeconds } = tooMany(report(midnight - seconds * 1_000, 0, 10_000), 'Over');
  expect({ message, inSeconds }).toEqual({ message: `Over; try again in ${text}`, inSeconds: seconds });
});
