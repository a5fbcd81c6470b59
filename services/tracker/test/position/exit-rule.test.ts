import { realizableSchema } from '@sigcast/contracts';
import type { MarketObservation } from '@sigcast/outcomes';
import { describe, expect, it } from 'vitest';
import { followPosition, type Position, realizableOf } from '../../src/domain/position/exit-rule.ts';
import { absent, at, followed, market } from '../rules/samples.ts';

/** The position after these observations; with `isOver`, the last one decides that the signal is over. */
function after(observations: readonly MarketObservation[], isOver = false): Position {
  const last = observations.length - 1;
  const position = observations.reduce<Position | undefined>(
    (before, each, n) =>
      followPosition(followed, before, { observation: each, isOver: isOver && n === last }),
    undefined,
  );
  if (position === undefined) throw new Error('there is no observation');
  return position;
}

/** What is published of it: the minutes of entry and exit, why it was sold, and the result. */
function short(observations: readonly MarketObservation[], isOver = false) {
  const realizable = realizableOf(after(observations, isOver));
  if (realizable === undefined) return 'no position';
  const { roi, entered_at, exited_at, exit } = realizableSchema.parse(realizable);
  const minutes = (iso: string) => (Date.parse(iso) - followed.createdAt.getTime()) / 60_000;
  return [minutes(entered_at), exited_at && minutes(exited_at), exit, roi];
}

/** The same without the result. */
function when(observations: readonly MarketObservation[], isOver = false) {
  const found = short(observations, isOver);
  return typeof found === 'string' ? found : found.slice(0, 3);
}

const week = 7 * 24 * 60;
/** An observation at so many times the entry's market cap. */
const times = (minutes: number, multiple: number, liquidity = 20_000) =>
  market(minutes, { mcap: multiple * 100_000, liquidity });

describe('the entry', () => {
  it('an order is bought at the first observation that is at least a minute later than the signal', () => {
    expect(short([market(0), market(0.999), times(1, 1), times(2, 1.5)])).toEqual([1, null, null, 43.46]);
    expect(short([market(0), market(0.999)])).toBe('no position');
  });

  it('an order is bought within the first hour or never', () => {
    expect(when([market(0.5), market(60)])).toEqual([60, null, null]);
    expect(short([market(0.5), market(60.001), market(61)])).toBe('no position');
  });

  it.each([['liquidity'], ['mcap']])('an order is not bought where there is no %s', (figure) => {
    expect(when([market(1, { [figure]: 0 }), absent(2), market(3)])).toEqual([3, null, null]);
  });

  it('a signal that is followed since later than its first hour has no position, whatever comes', () => {
    expect(short([market(90), times(91, 5), times(92, 5), market(week)])).toBe('no position');
  });

  it('an order that is bought with the observation that ends the signal is sold with it', () => {
    expect(short([market(1)], true)).toEqual([1, 1, 'end', -3.89]);
  });
});

describe('the exit', () => {
  it('the target is twice the market cap at entry at two observations in a row, sold at the second one', () => {
    expect(short([market(1), times(2, 2), times(3, 2.5)])).toEqual([1, 3, 'target', 136.82]);
    expect(when([market(1), times(2, 1.999_99), times(3, 9)])).toEqual([1, null, null]);
  });

  it('the stop is half of the market cap at entry at two observations in a row, sold at the second one', () => {
    expect(short([market(1), times(2, 0.5), times(3, 0.4)])).toEqual([1, 3, 'stop', -61.33]);
    expect(when([market(1), times(2, 0.500_01), times(3, 0.1)])).toEqual([1, null, null]);
  });

  it('one observation alone is a spike, up or down', () => {
    const spikes = [times(2, 50), market(3), times(4, 0.01), market(5), times(6, 50), times(7, 0.01)];
    expect(when([market(1), ...spikes])).toEqual([1, null, null]);
  });

  it('an observation without a market neither helps nor breaks', () => {
    expect(when([market(1), times(2, 2), absent(3)])).toEqual([1, null, null]);
    expect(when([market(1), times(2, 2), absent(3), times(4, 2)])).toEqual([1, 4, 'target']);
  });

  it('multiples are of the market cap at the entry of the order, not of the signal', () => {
    expect(when([times(0.5, 1), times(1, 2), times(2, 3), times(3, 3)])).toEqual([1, null, null]);
    expect(when([times(1, 2), times(2, 4), times(3, 4)])).toEqual([1, 3, 'target']);
  });

  it('an order is sold seven days after its entry, at the first observation from then on', () => {
    const [before, then] = [times(week + 0.999, 1.5), times(week + 1, 1.2)];
    expect(when([market(1), before])).toEqual([1, null, null]);
    expect(short([market(1), before, then])).toEqual([1, week + 1, 'end', 15.11]);
  });

  it('a target or stop that is touched for the second time after seven days is a target or a stop', () => {
    expect(when([market(1), times(week, 3), times(week + 9, 3)])).toEqual([1, week + 9, 'target']);
    expect(when([market(1), times(week, 0.3), times(week + 9, 0.3)])).toEqual([1, week + 9, 'stop']);
  });

  it('an order is sold at the observation that decides that the signal is dead or rugged', () => {
    expect(short([market(1), market(2, { liquidity: 0 })], true)).toEqual([1, 2, 'end', -100]);
    expect(when([market(1), times(2, 0.3), times(3, 0.3)], true)).toEqual([1, 3, 'stop']);
  });

  it('a signal that dies while the market does not know its token is sold at the newest observation of the market', () => {
    expect(when([market(1), times(2, 0.8), absent(500)], true)).toEqual([1, 2, 'end']);
    expect(short([market(0.5), absent(500)], true)).toBe('no position');
  });
});

describe('costs', () => {
  it('an order of 100 dollars in a market that does not move loses the fees and its price impact, twice', () => {
    const lost = (liquidity: number) => short([times(1, 1, liquidity)])[3];
    // 99 dollars in a pool with 10,000 on each side buy 98.03. They bring 97.08, less 1 %.
    expect(lost(20_000)).toBe(-3.89);
    expect([1e9, 2_000, 200, 2].map(lost)).toEqual([-1.99, -18.19, -67.11, -99.51]);
  });

  it('an order is worth nothing in a market without liquidity, or without a price', () => {
    expect(short([market(1), times(2, 100, 0)])).toEqual([1, null, null, -100]);
    expect(short([market(1), times(2, 0)])).toEqual([1, null, null, -100]);
  });

  it('an order brings no more than a market has, however high its price', () => {
    expect(short([market(1), times(2, 1e9)])).toEqual([1, null, null, 9_800]);
  });

  it('figures beyond all reason give a result that is a number of exact hundredths', () => {
    const most = { mcap: Number.MAX_SAFE_INTEGER, liquidity: Number.MAX_SAFE_INTEGER };
    for (const entry of [{ mcap: 5e-324 }, { liquidity: 5e-324 }, { mcap: 5e-324, liquidity: 5e-324 }]) {
      for (const exit of [most, { mcap: 5e-324 }, { liquidity: 5e-324 }]) {
        const [, , , roi] = short([market(1, entry), market(2, exit)]);
        expect(Number.isSafeInteger(Math.round(Number(roi) * 100))).toBe(true);
      }
    }
    expect(short([market(1, { mcap: 5e-324 }), market(2, most)])).toEqual([1, null, null, 1e12 - 100]);
  });
});

describe('the stored position', () => {
  it('a position is published with its instants in UTC, and null for what has not happened', () => {
    expect(realizableOf(after([market(1)]))).toEqual({
      rule: 'v1',
      roi: -3.89,
      entered_at: at(1).toISOString(),
      exited_at: null,
      exit: null,
    });
    expect(realizableOf(after([market(1)], true))).toMatchObject({
      exited_at: at(1).toISOString(),
      exit: 'end',
    });
  });

  it('a position of an unknown version is begun anew', () => {
    const other = { ...after([market(1), market(2)]), rule: 'v2' };
    expect(followPosition(followed, other, { observation: market(3), isOver: false })).toEqual(
      after([market(3)]),
    );
  });

  it('a position is some 150 bytes, however long its signal is followed', () => {
    const many = Array.from({ length: 500 }, (_, n) => times(n + 1, 1 + (n % 2)));
    expect(JSON.stringify(after(many)).length).toBeLessThan(200);
  });
});
