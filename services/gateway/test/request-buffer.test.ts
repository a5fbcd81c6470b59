import { describe, expect, it } from 'vitest';
import { RequestBuffer } from '../src/domain/request-buffer.ts';
import { isGap, type RefusedKey } from '../src/domain/request-log.ts';
import { requestAt } from './request-entries.ts';

const startMs = 1_800_000_000_000;
const second = 1_000;

/** A buffer with a clock. `taken`: of each account, how many requests it had and what its gap says. */
function buffer(bounds: ConstructorParameters<typeof RequestBuffer>[2]) {
  let nowMs = startMs;
  let dropped = 0;
  const under = new RequestBuffer(
    () => nowMs,
    () => (dropped += 1),
    bounds,
  );
  return {
    under,
    note: (account: string, count: number, refused?: RefusedKey) => {
      for (let i = 0; i < count; i += 1) under.note(account, () => requestAt(nowMs), refused);
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    taken: () =>
      Object.fromEntries(
        under.take().map(([account, entries]) => {
          const gap = entries.find(isGap);
          const from = gap && gap.from.getTime() - startMs;
          const until = gap && gap.at.getTime() - startMs;
          return [account, [entries.filter((one) => !isGap(one)).length, gap?.dropped, from, until]];
        }),
      ),
    kept: () =>
      Object.fromEntries(
        under.take().map(([account, entries]) => [account, entries.filter((one) => !isGap(one)).length]),
      ),
    get dropped() {
      return dropped;
    },
  };
}

describe('requests in memory', () => {
  it('are so many a second for one account and for all, and what is missing is said with its time', () => {
    const noted = buffer({ perAccount: 3, perSecond: 5 });
    noted.note('a', 4);
    noted.note('b', 4);
    noted.pass(second);
    noted.note('b', 2);
    noted.pass(100);
    noted.note('b', 2);
    expect(noted.taken()).toEqual({
      a: [3, 1, 0, 0],
      b: [5, 3, 0, second + 100],
    });
    expect(noted.dropped).toBe(4);
  });

  it('of accounts that make many leave the half of each second, and of the memory, to those that make few', () => {
    const noted = buffer({ perSecond: 10, entries: 30, few: 2 });
    noted.note('a', 20);
    noted.note('b', 3);
    expect(noted.kept()).toEqual({ a: 5, b: 2 });
    for (let seconds = 0; seconds < 5; seconds += 1) {
      noted.pass(second);
      noted.note('a', 10);
    }
    noted.pass(second);
    noted.note('b', 3);
    expect(noted.kept()).toEqual({ a: 8, b: 2 });
  });

  it('that are refused are few an hour, and a flood of them is one gap a minute, so that it pushes nothing else out', () => {
    const noted = buffer({ refusedOfDead: 3 });
    let [entries, dropped] = [0, 0];
    for (let seconds = 0; seconds < 3_600; seconds += 1) {
      noted.note('a', 2, 'dead');
      for (const [requests = 0, missing = 0] of Object.values(noted.taken()) as [number, number?][]) {
        entries += requests + (missing > 0 ? 1 : 0);
        dropped += missing;
      }
      noted.pass(second);
    }
    expect(entries).toBe(3 + 60);
    expect(dropped).toBeGreaterThan(7_000);
    noted.note('a', 4, 'dead');
    noted.note('a', 5);
    expect(noted.kept()).toEqual({ a: 8 });
  });

  it('that are refused are counted for each live key alone, and for all dead keys of an account together', () => {
    const noted = buffer({ refusedOfDead: 2, refusedPerKey: 3 });
    noted.note('a', 9, 'dead');
    noted.note('a', 9, 'key_1');
    noted.note('a', 2, 'key_2');
    noted.note('b', 1, 'dead');
    expect(noted.kept()).toEqual({ a: 2 + 3 + 2, b: 1 });
  });

  it('are bounded while they can not be written, and there is room again when they are', () => {
    const noted = buffer({ entries: 4 });
    noted.note('a', 3);
    expect(noted.taken()).toEqual({ a: [3, undefined, undefined, undefined] });
    noted.pass(second);
    noted.note('a', 3);
    expect(noted.taken()).toEqual({ a: [1, 2, second, second] });
    expect(noted.under.size).toBe(4);
    noted.under.written(4);
    noted.note('a', 2);
    expect(noted.taken()).toEqual({ a: [2, undefined, undefined, undefined] });
  });
});
