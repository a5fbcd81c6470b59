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

const ofFirst = (it: TokenMarket) => ({ kind: 'counts', market: it, source: 'first', decides: true });
const ofSecond = (it: TokenMarket, decides: boolean) => ({
  kind: 'counts',
  market: it,
  source: 'second',
  decides,
});
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

  it('a jump that both show counts at once, with the figures of the first', () => {
    expect(choose(market(1_000), market(400))).toEqual(ofFirst(market(1_000)));
    expect(choose(market(2, 1), market(1, 2))).toEqual(ofFirst(market(2, 1)));
    expect(choose(market(100, 0), market(100, 0))).toEqual(ofFirst(market(100, 0)));
  });

  it('a token that the first one does not know, or has no figures of, is not absent while the second one has it', () => {
    for (const first of [absent, unusable]) {
      expect(choose(first, market(120))).toEqual(ofSecond(market(120), true));
      expect(choose(first, market(1))).toEqual(doubt(1));
      expect(choose(first, market(1), { mcap: 1, liquidity: 1 })).toEqual(ofSecond(market(1), true));
    }
  });

  it('a token is absent only where both say so', () => {
    expect(choose(absent, absent)).toEqual(ofFirst(absent));
    for (const second of [unusable, undefined]) expect(choose(absent, second)).toEqual({ kind: 'unusable' });
    for (const first of [unusable, undefined]) expect(choose(first, absent)).toEqual({ kind: 'unusable' });
  });

  it('while the first one is away, the second’s figures decide nothing, and count only where they have not jumped', () => {
    expect(choose(undefined, market(250))).toEqual(ofSecond(market(250), false));
    expect(choose(undefined, market(400))).toEqual({ kind: 'unusable' });
    expect(choose(undefined, market(400), { mcap: 500, liquidity: 500 })).toEqual(
      ofSecond(market(400), false),
    );
    expect(choose(undefined, undefined)).toEqual({ kind: 'unusable' });
  });
});
