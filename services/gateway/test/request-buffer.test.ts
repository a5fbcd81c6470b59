import { describe, expect, it } from 'vitest';
import { RequestBuffer } from '../src/domain/request-buffer.ts';
import { isGap } from '../src/domain/request-log.ts';
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
    note: (account: string, count: number) => {
      for (let i = 0; i < count; i += 1) under.note(account, () => requestAt(nowMs));
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
