import { dexScreenerPools } from '@sigcast/market';
import { describe, expect, it } from 'vitest';
import { tokenMarkets as marketsOf } from '../src/market/token-markets.ts';

const tokenMarkets = (answer: unknown, contracts: readonly string[]) => {
  const pools = dexScreenerPools(answer);
  return pools && marketsOf(pools, contracts);
};

type Pair = Parameters<typeof pair>[1];

function pair(
  address: unknown,
  {
    mcap,
    fdv,
    liquidity,
    volume24h,
    name = 'p',
  }: Readonly<Record<string, unknown>> & { readonly name?: string },
) {
  return {
    chainId: 'test',
    pairAddress: name,
    baseToken: { address },
    ...(mcap !== undefined && { marketCap: mcap }),
    ...(fdv !== undefined && { fdv }),
    ...(liquidity !== undefined && { liquidity: { usd: liquidity } }),
    ...(volume24h !== undefined && { volume: { h24: volume24h } }),
  };
}

/** What an answer with these pairs of one token says of it. */
const marketOf = (...pairs: Pair[]) =>
  tokenMarkets({ pairs: pairs.map((each) => pair('A', each)) }, ['A'])?.get('A');

/** A pair of which every figure can be used. */
const whole = { marketCap: 5, fdv: 6, liquidity: { usd: 1 }, volume: { h24: 3 } };
const nonsense = [null, 'n/a', '5', -1, 1e300, true, [], {}] as const;
const nonsensical: [string, object][] = [
  // A market cap that is null is a missing one.
  ...nonsense
    .filter((value) => value !== null)
    .map((value): [string, object] => ['marketCap', { marketCap: value }]),
  ...nonsense.map((value): [string, object] => ['fdv', { marketCap: undefined, fdv: value }]),
  ...nonsense.map((value): [string, object] => ['liquidity.usd', { liquidity: { usd: value } }]),
  ...nonsense.map((value): [string, object] => ['liquidity', { liquidity: value }]),
  ...nonsense.map((value): [string, object] => ['volume.h24', { volume: { h24: value } }]),
  ...[null, 'n/a', 5, true].map((value): [string, object] => ['volume', { volume: value }]),
];

describe("an answer in DexScreener's format", () => {
  it.each(nonsensical)('is of no use for a token whose only pair has nonsense as %s: %j', (_, figures) => {
    const marketWith = (own: object) =>
      tokenMarkets(
        { pairs: [{ chainId: 'test', pairAddress: 'p', baseToken: { address: 'A' }, ...whole, ...own }] },
        ['A'],
      );
    expect(marketWith({})?.get('A')).toEqual({ kind: 'market', mcap: 5, liquidity: 1, volume24h: 3 });
    expect(marketWith(figures)?.get('A')).toEqual({ kind: 'unusable' });
  });

  it('gives of a token the pair with the most liquidity, of equal ones that whose address comes first', () => {
    const most = { mcap: 3, liquidity: 9, volume24h: 2 };
    const market = { kind: 'market', ...most };
    expect(marketOf({ mcap: 1, liquidity: 5 }, most, { mcap: 2, liquidity: 8 })).toEqual(market);
    for (const names of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const equal = names.map((name) => ({ ...most, name, mcap: name === 'a' ? 3 : 4 }));
      expect(marketOf(...equal)).toEqual(market);
    }
  });

  it('lets the fully diluted value stand for a missing market cap, and 0 for a missing volume', () => {
    expect(marketOf({ fdv: 7, liquidity: 1 })).toEqual({
      kind: 'market',
      mcap: 7,
      liquidity: 1,
      volume24h: 0,
    });
    expect(marketOf({ mcap: 5, fdv: 7, liquidity: 0 })).toMatchObject({ mcap: 5 });
  });

  it.each([
    ['no market cap', { liquidity: 1 }],
    ['a market cap of 0', { mcap: 0, liquidity: 1 }],
    ['a market cap below 0', { mcap: -1, liquidity: 1 }],
    ['text for numbers', { mcap: '5', liquidity: '1' }],
    ['more than the signals service takes', { mcap: 1e300, liquidity: 1 }],
    ['no liquidity', { mcap: 5 }],
    ['null for the liquidity', { mcap: 5, liquidity: null }],
  ])(
    'is of no use for a token whose only pair has %s, and does not say that the token is gone',
    (_, only) => {
      expect(marketOf(only)).toEqual({ kind: 'unusable' });
      expect(marketOf(only, { mcap: 5, liquidity: 1 })).toMatchObject({ kind: 'market', mcap: 5 });
    },
  );

  it('says of a token without a pair that the source knows no market of it', () => {
    expect(tokenMarkets({ pairs: null }, ['A'])?.get('A')).toEqual({ kind: 'absent' });
    const others = { pairs: [pair('B', { mcap: 1, liquidity: 1 }), null, 'nonsense', pair(7, {})] };
    expect(tokenMarkets(others, ['A'])?.get('A')).toEqual({ kind: 'absent' });
  });

  it('says nothing of a token without a pair where it may be cut off before that', () => {
    const pairs = Array.from({ length: 30 }, (_, n) => pair('B', { mcap: 1, liquidity: n }));
    expect(tokenMarkets({ pairs }, ['A', 'B'])?.get('A')).toEqual({ kind: 'unusable' });
    expect(tokenMarkets({ pairs }, ['A', 'B'])?.get('B')).toMatchObject({ liquidity: 29 });
    expect(tokenMarkets({ pairs: pairs.slice(1) }, ['A', 'B'])?.get('A')).toEqual({ kind: 'absent' });
    expect(tokenMarkets({ pairs: [...pairs, ...pairs] }, ['A', 'B'])?.get('A')).toEqual({ kind: 'absent' });
  });

  it('has 0x addresses in any case, and others in their own', () => {
    const pairs = ['0xAB', 'Solana'].map((address) => pair(address, { mcap: 1, liquidity: 1 }));
    const kinds = [...(tokenMarkets({ pairs }, ['0xab', 'Solana', 'solana']) ?? [])].map(
      ([key, { kind }]) => [key, kind],
    );
    expect(kinds).toEqual([
      ['0xab', 'market'],
      ['Solana', 'market'],
      ['solana', 'absent'],
    ]);
  });

  it.each([['text'], [{}], [{ pairs: 'none' }], [null], [7]])('is not %j', (answer) => {
    expect(tokenMarkets(answer, ['A'])).toBeUndefined();
  });
});
