import { describe, expect, it } from 'vitest';
import { chooseMarket, needsSecond } from '../src/market/choose-market.ts';
import type { TokenMarket } from '../src/market/token-markets.ts';

const market = (mcap: number, liquidity = mcap): TokenMarket & { kind: 'market' } => ({
  kind: 'market',
  mcap,
  liquidity,
  volume24h: 1,
});
const absent: TokenMarket = { kind: 'absent' };
const unusable: TokenMarket = { kind: 'unusable' };
const counted = { mcap: 100, liquidity: 100 };
const choose = (first?: TokenMarket, second?: TokenMarket, doubted?: { mcap: number; liquidity: number }) =>
  chooseMarket(3, { counted, doubted }, { first, second });

const ofFirst = (it: TokenMarket) => ({ kind: 'counts', market: it, source: 'first' });
const ofSecond = (it: TokenMarket) => ({ kind: 'counts', market: it, source: 'second' });
const doubt = (mcap: number, liquidity = mcap) => ({ kind: 'doubted', figures: { mcap, liquidity } });

describe('of two sources of the market', () => {
  it('the second one is asked only where the first is away, has no figures of use, or figures that have jumped', () => {
    const asks = (first?: TokenMarket) => needsSecond(3, { counted }, first);
    expect([undefined, absent, unusable].map(asks)).toEqual([true, true, true]);
    expect([market(300), market(34), market(100)].map(asks)).toEqual([false, false, false]);
    expect([market(301), market(33), market(100, 301), market(100, 0)].map(asks)).toEqual(
      Array(4).fill(true),
    );
    expect(needsSecond(3, { counted, doubted: { mcap: 1_000, liquidity: 900 } }, market(1_100))).toBe(false);
  });

  it.each([
    ['the second shows no jump', market(100)],
    ['the second shows another jump', market(5_000)],
    ['the second shows it of the market cap alone', market(1_000, 100)],
    ['the second knows no market', absent],
    ['the second has no figures of use', unusable],
    ['the second is away', undefined],
  ])('a jump of the first counts when its next answer agrees, and not before, where %s', (_, second) => {
    for (const jump of [market(1_000), market(1)]) {
      expect(choose(jump, second)).toEqual(doubt(jump.mcap));
      const seen = { mcap: jump.mcap, liquidity: jump.liquidity };
      expect(choose(jump, second, seen)).toEqual(ofFirst(jump));
      expect(choose(market(100), second, seen)).toEqual(ofFirst(market(100)));
    }
  });

  it('a jump counts when the next answer has jumped in the same direction, however far, so that dust liquidity is not doubted for ever', () => {
    expect(choose(market(100, 4), market(100), { mcap: 100, liquidity: 1 })).toEqual(ofFirst(market(100, 4)));
    expect(choose(market(20, 1), market(100), { mcap: 500, liquidity: 5 })).toEqual(ofFirst(market(20, 1)));
    expect(choose(market(9_000), market(100), { mcap: 400, liquidity: 100 })).toEqual(ofFirst(market(9_000)));
  });

  it('a jump in the other direction, or of the other figure, does not confirm a doubt', () => {
    expect(choose(market(10, 100), market(100), { mcap: 500, liquidity: 100 })).toEqual(doubt(10, 100));
    expect(choose(market(100, 10), market(100), { mcap: 10, liquidity: 100 })).toEqual(doubt(100, 10));
    expect(choose(market(500, 500), undefined, { mcap: 10, liquidity: 10 })).toEqual(doubt(500));
  });

  it('a jump that both show counts at once, with the figures of the first', () => {
    expect(choose(market(1_000), market(400))).toEqual(ofFirst(market(1_000)));
    expect(choose(market(2, 1), market(1, 2))).toEqual(ofFirst(market(2, 1)));
    expect(choose(market(100, 0), market(100, 0))).toEqual(ofFirst(market(100, 0)));
  });

  it('a token is absent only where both say so', () => {
    expect(choose(absent, absent)).toEqual(ofFirst(absent));
    for (const second of [unusable, undefined]) expect(choose(absent, second)).toEqual({ kind: 'unusable' });
    for (const first of [unusable, undefined]) expect(choose(first, absent)).toEqual({ kind: 'unusable' });
  });

  it.each([
    ['is away', undefined],
    ['does not know the token', absent],
    ['has no figures of use', unusable],
  ])(
    'while the first one %s, the second’s figures count only where they are nearly those that counted before',
    (_, first) => {
      for (const same of [market(110), market(91), market(100, 110)])
        expect(choose(first, same)).toEqual(ofSecond(same));
      // Such as those of another supply, also where they agree with a doubt.
      for (const other of [market(111), market(90), market(100, 111), market(250)]) {
        expect(choose(first, other)).toEqual({ kind: 'unusable' });
        expect(choose(first, other, other)).toEqual({ kind: 'unusable' });
      }
    },
  );

  it('while neither has figures, nothing counts', () => {
    expect(choose(undefined, undefined)).toEqual({ kind: 'unusable' });
  });
});
