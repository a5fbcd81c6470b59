import { defaultThresholds, type MarketObservation, rulesV1 } from '@sigcast/outcomes';
import { describe, expect, it } from 'vitest';
import { absent, at, decisions, followed, market, short } from './samples.ts';

const applyRules = rulesV1(defaultThresholds);
const high = (minutes: number, figures = {}) => market(minutes, { mcap: 200_000, ...figures });
const low = (minutes: number) => market(minutes, { mcap: 9_999 });
const silent = (hours: number) => market(hours * 60, { volume24h: 0 });
const drained = (minutes: number, liquidity = 2_000) => market(minutes, { liquidity });
const decided = (...observations: ReturnType<typeof market>[]) => short(decisions(observations));

describe('winner', () => {
  it('a signal is a winner when its market cap stays at twice the entry for ten minutes', () => {
    expect(decided(market(1), high(2), high(5), high(12), high(13))).toEqual([['winner', 2, 12]]);
  });

  it('a winner needs the whole ten minutes', () => {
    expect(decided(high(2), high(11.999))).toEqual([]);
    expect(decided(high(2), high(11.999), high(12))).toEqual([['winner', 2, 12]]);
  });

  it('a winner needs twice the entry at every observation of the market in between', () => {
    expect(decided(high(2), high(8), market(9, { mcap: 199_999.99 }), high(12), high(18))).toEqual([]);
    expect(decided(high(2), market(9, { mcap: 199_999.99 }), high(12), high(22))).toEqual([
      ['winner', 12, 22],
    ]);
  });

  it('one high observation is a spike', () => {
    expect(decided(market(1), high(2, { mcap: 9_000_000 }), market(3), market(60))).toEqual([]);
  });

  it('a winner needs enough liquidity to sell at that price, at every observation', () => {
    const thin = { liquidity: 999.99 };
    // The entry has little liquidity, so that none of these is a rug.
    const small = { ...followed, liquidityEntry: 1_000 };
    const made = (...history: ReturnType<typeof market>[]) => short(decisions(history, small));
    expect(made(high(2, thin), high(12, thin))).toEqual([]);
    expect(made(high(2, { liquidity: 1_000 }), high(7, thin), high(12, { liquidity: 1_000 }))).toEqual([]);
    expect(made(high(2, { liquidity: 1_000 }), high(12, { liquidity: 1_000 }))).toEqual([['winner', 2, 12]]);
  });

  it('an absent market between high observations neither helps nor breaks', () => {
    expect(decided(high(2), absent(5), absent(20))).toEqual([]);
    expect(decided(high(2), absent(5), high(12))).toEqual([['winner', 2, 12]]);
  });
});

describe('rugged', () => {
  it('a signal is rugged when a tenth or less of its liquidity is left, and the next observation confirms it', () => {
    expect(decided(market(1), market(2), drained(3), drained(4))).toEqual([['rugged', 2, 3, 4]]);
    expect(decided(market(1), drained(3), drained(4, 2_000.01))).toEqual([]);
    expect(decided(market(1), drained(3, 2_000.01), drained(4, 2_000.01))).toEqual([]);
  });

  it('one observation with little liquidity is a mistake of the source', () => {
    expect(decided(market(1), drained(2, 0), market(3), drained(4, 0), market(5))).toEqual([]);
  });

  it('the high is the highest liquidity of the hour before, and the newest of equal ones', () => {
    const slowly = [market(1), market(31), market(50, { liquidity: 10_000 }), drained(91), drained(92)];
    expect(decided(...slowly)).toEqual([['rugged', 31, 91, 92]]);
    const later = [market(1), market(31), market(50, { liquidity: 10_000 }), drained(91.01), drained(92)];
    expect(decided(...later)).toEqual([]);
  });

  it('the observation just before counts however old it is', () => {
    expect(decided(market(1), drained(600), drained(1_200))).toEqual([['rugged', 1, 600, 1200]]);
  });

  it('confirming observations are compared with the same high, also when it is older than an hour by then', () => {
    expect(decided(market(1), drained(60), drained(120))).toEqual([['rugged', 1, 60, 120]]);
  });

  it('the first observation is compared with the liquidity of the entry, which is no observation', () => {
    expect(decided(drained(1), drained(2))).toEqual([['rugged', 1, 2]]);
    expect(decided(drained(1, 2_000.01), drained(2, 2_000.01))).toEqual([]);
  });

  it('a signal with an entry of 100 dollars or more of liquidity is rugged when less than 100 are left', () => {
    const slowly = [5_000, 1_000, 300, 99.99, 99.99].map((liquidity, n) => drained(n * 100, liquidity));
    const made = (liquidityEntry: number) => short(decisions(slowly, { ...followed, liquidityEntry }));
    expect(made(100)).toEqual([['rugged', 200, 300, 400]]);
    expect(made(99.99)).toEqual([]);
    const enough = slowly.map((each) => ({ ...each, liquidity: 100 }));
    expect(short(decisions(enough, { ...followed, liquidityEntry: 100 }))).toEqual([]);
  });

  it('a market that never had liquidity is not rugged', () => {
    const none = [1, 2, 3].map((minutes) => drained(minutes, 0));
    expect(short(decisions(none, { ...followed, liquidityEntry: 0 }))).toEqual([]);
  });

  it('an absent market is no confirmation, and does not break one', () => {
    expect(decided(market(1), drained(2), absent(3))).toEqual([]);
    expect(decided(market(1), drained(2), absent(3), drained(4))).toEqual([['rugged', 1, 2, 4]]);
  });

  it('a winner can still become rugged, and nothing else', () => {
    const won = [high(2), high(12)];
    expect(decided(...won, low(20), low(21))).toEqual([['winner', 2, 12]]);
    expect(decided(...won, drained(20), drained(21))).toEqual([
      ['winner', 2, 12],
      ['rugged', 12, 20, 21],
    ]);
  });
});

describe('dead', () => {
  it('a signal is dead when its market cap is below a tenth of the entry at two observations in a row', () => {
    expect(decided(market(1), low(2), low(3))).toEqual([['dead', 2, 3]]);
    expect(decided(low(2), absent(3), low(4))).toEqual([['dead', 2, 4]]);
  });

  it('a market cap of exactly a tenth, or one low observation, is not the end', () => {
    const tenth = (minutes: number) => market(minutes, { mcap: 10_000 });
    expect(decided(tenth(1), tenth(2), tenth(3))).toEqual([]);
    expect(decided(low(1), tenth(2), low(3), market(4))).toEqual([]);
  });

  it('a signal is dead when nobody trades it for 72 hours', () => {
    expect(decided(market(1), silent(1), silent(40), silent(73))).toEqual([['dead', 60, 4_380]]);
    expect(decided(silent(1), silent(72.999))).toEqual([]);
  });

  it('a market that the source does not know any more is silent', () => {
    expect(decided(market(1), absent(60), silent(40), absent(73 * 60))).toEqual([['dead', 60, 4_380]]);
    expect(decided(absent(60), absent(73 * 60))).toEqual([['dead', 60, 4_380]]);
  });

  it('one trade ends the silence', () => {
    expect(decided(silent(1), market(40 * 60, { volume24h: 0.01 }), silent(73), silent(100))).toEqual([]);
  });
});

describe('an observation that only breaks', () => {
  const breaks = (of: MarketObservation): MarketObservation =>
    ({ ...of, onlyBreaks: true }) as MarketObservation;

  it('ends a sequence that it does not agree with', () => {
    expect(decided(high(2), breaks(market(5)), high(12), high(13))).toEqual([]);
    expect(decided(market(1), drained(2), breaks(market(3)), drained(4))).toEqual([]);
    expect(decided(low(2), breaks(market(3)), low(4))).toEqual([]);
    expect(decided(silent(1), breaks(market(40 * 60)), silent(73))).toEqual([]);
  });

  it('neither begins nor continues a sequence, and is no high', () => {
    expect(decided(breaks(high(2)), high(5), breaks(high(12)), high(15))).toEqual([['winner', 5, 15]]);
    expect(decided(market(1), breaks(drained(2)), drained(3), breaks(drained(4)), drained(5))).toEqual([
      ['rugged', 1, 3, 5],
    ]);
    expect(decided(breaks(low(1)), low(2), breaks(low(3)), low(4))).toEqual([['dead', 2, 4]]);
    expect(decided(breaks(silent(1)), silent(2), breaks(silent(73)), silent(74))).toEqual([
      ['dead', 120, 4_440],
    ]);
    const deep = breaks(market(2, { liquidity: 900_000 }));
    expect(decided(market(1), deep, drained(3, 20_001), drained(4, 20_001))).toEqual([]);
  });
});

describe('several at once', () => {
  it('rugged goes before dead, and dead before winner', () => {
    const gone = (minutes: number) => market(minutes, { mcap: 1, liquidity: 1 });
    expect(decided(market(1), gone(2), gone(3))).toEqual([['rugged', 1, 2, 3]]);
    const silentHigh = (hours: number) => high(hours * 60, { volume24h: 0 });
    const once = { ...defaultThresholds, winner: { ...defaultThresholds.winner, sustained_minutes: 4_320 } };
    expect(short(decisions([silentHigh(1), silentHigh(73)], followed, once))).toEqual([['dead', 60, 4_380]]);
  });

  it('few dollars of market cap go before silence', () => {
    const both = (hours: number) => market(hours * 60, { mcap: 1, volume24h: 0 });
    expect(decided(silent(1), both(72.5), both(73))).toEqual([['dead', 4_350, 4_380]]);
  });
});

describe('observations', () => {
  it('an observation that is not newer than the last one changes nothing', () => {
    const { state } = applyRules(followed, undefined, low(5));
    for (const minutes of [5, 4]) {
      expect(applyRules(followed, state, low(minutes))).toEqual({ state });
      expect(applyRules(followed, state, absent(minutes))).toEqual({ state });
    }
  });

  it('an observation from before the signal changes nothing', () => {
    expect(decided(low(-2), low(-1), low(0))).toEqual([]);
    expect(decided(low(-1), low(0), low(1))).toEqual([['dead', 0, 1]]);
  });

  it.each(['dead', 'rugged'] as const)('a signal that is %s gets no decision', (status) => {
    const end = [market(1), drained(2, 0), drained(3, 0), low(4), low(5)];
    expect(decisions(end, { ...followed, status })).toEqual([]);
  });

  it('a decision is made again as long as the signal does not have the status', () => {
    const first = [low(1), low(2)].reduce<{ state?: unknown }>(
      ({ state }, observation) => applyRules(followed, state, observation),
      {},
    );
    expect(first).toMatchObject({ decision: { status: 'dead', rule: 'v1', observations: [at(1), at(2)] } });
    const again = applyRules(followed, first.state, low(3));
    expect(again.decision).toEqual({ status: 'dead', rule: 'v1', observations: [at(2), at(3)] });
  });

  it('what was remembered by other thresholds is forgotten', () => {
    const { winner } = defaultThresholds;
    const loose = { ...defaultThresholds, winner: { ...winner, multiple: 1.2 } };
    const before = rulesV1(loose)(followed, undefined, market(1, { mcap: 130_000 }));
    const changed = applyRules(followed, before.state, high(12));
    expect(changed).toEqual(applyRules(followed, undefined, high(12)));
    const same = rulesV1(structuredClone(loose))(followed, before.state, high(12));
    expect(same.decision).toEqual({ status: 'winner', rule: 'v1-custom', observations: [at(1), at(12)] });
  });

  it('a decision says with which thresholds it was made: the published ones, or an operator’s own', () => {
    const byThresholds = (thresholds: typeof defaultThresholds) => {
      const apply = rulesV1(thresholds);
      const { state } = apply(followed, undefined, low(1));
      return apply(followed, state, low(2)).decision?.rule;
    };
    expect(byThresholds(defaultThresholds)).toBe('v1');
    expect(byThresholds(structuredClone(defaultThresholds))).toBe('v1');
    const { winner } = defaultThresholds;
    expect(byThresholds({ ...defaultThresholds, winner: { ...winner, multiple: 3 } })).toBe('v1-custom');
  });
});
