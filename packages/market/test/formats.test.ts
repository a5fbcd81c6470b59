import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  chainOf,
  dexScreenerPools,
  geckoTerminalPools,
  hasPaidProfile,
  listedTokens,
  networkOf,
  tokenFacts,
} from '../src/index.ts';

/** An answer that a real source has given. */
const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8'));

describe('DexScreener', () => {
  it('names pools with the figures of their base token, as it has recorded them', () => {
    const pools = dexScreenerPools(recorded('dexscreener-pairs')) ?? [];
    expect(pools).toHaveLength(17);
    expect(pools[0]).toEqual({
      chain: 'injective',
      address: 'inj17ufy5gqw33t0prwhkwa6ensv0jpj3xfvylgx8j',
      token: 'inj19dtllzcquads0hu3ykda9m58llupksqwekkfnw',
      symbol: 'babyDOJO',
      name: 'Baby DOJO Token',
      mcap: undefined,
      liquidity: 879_284.45,
      volume: { h24: 250_142.62, h6: 43_821.68, h1: 459.62, m5: 0 },
      trades: {
        m5: { buys: 0, sells: 0 },
        h1: { buys: 0, sells: 16 },
        h6: { buys: 0, sells: 122 },
        h24: { buys: 14, sells: 768 },
      },
      change: { m5: 0, h1: 1.08, h6: -8.18, h24: 22.9 },
      createdAt: new Date(1_710_685_033_000),
      links: {
        twitter: 'https://twitter.com/Dojo_Swap',
        telegram: 'https://t.me/dojo_swap',
        website: 'https://baby.dojo.trading/',
      },
    });
    expect(dexScreenerPools((recorded('dexscreener-pairs') as { pairs: unknown }).pairs)).toEqual(pools);
  });

  it('names tokens in its lists, and no link but https', () => {
    const links = [
      { type: 'twitter', url: 'https://x.com/nova' },
      { label: 'Website', url: 'javascript:alert(1)' },
      { type: 'telegram', url: 'http://t.me/nova' },
      { label: 'Docs', url: 'https://nova.example' },
      null,
    ];
    const list = [{ chainId: 'base', tokenAddress: '0xA', links }, { chainId: 'base' }, null, 'text'];
    expect(listedTokens(list)).toEqual([
      {
        chain: 'base',
        token: '0xA',
        links: { twitter: 'https://x.com/nova', website: 'https://nova.example/' },
      },
    ]);
    expect(listedTokens(null)).toEqual([]);
    expect(listedTokens({ error: 'no' })).toBeUndefined();
  });

  it('says whether a profile is paid for: approved, not only ordered', () => {
    const order = (status: string, type = 'tokenProfile') => ({ type, status });
    expect(hasPaidProfile([order('processing'), order('approved', 'tokenAd')])).toBe(false);
    expect(hasPaidProfile([order('rejected'), order('approved')])).toBe(true);
    expect(hasPaidProfile({})).toBeUndefined();
  });
});

describe('GeckoTerminal', () => {
  it('names pools, whose numbers are texts and whose market cap is mostly unknown', () => {
    const [pool, ...others] = geckoTerminalPools(recorded('geckoterminal-pool'), 'solana') ?? [];
    expect(others).toEqual([]);
    expect(pool).toMatchObject({
      chain: 'solana',
      token: '13RbxjgWhXhgSN4krVwadunLSAJjph7b9QFU4GWEpump',
      mcap: 635_239.003182784,
      liquidity: 109_257.2676,
      volume: { h1: 342_460.31816199 },
      trades: { h1: { buys: 2_357, sells: 2_084, buyers: 1_957, sellers: 1_759 } },
      change: { h1: 13.85 },
      createdAt: new Date('2025-08-24T16:36:34Z'),
    });
  });

  it('has addresses with underscores, of the network that was asked about or that the pool names', () => {
    const pool = (id: string, network?: string) => ({
      relationships: { base_token: { data: { id } }, ...(network && { network: { data: { id: network } } }) },
    });
    const tokensOf = (data: unknown[], network?: string) =>
      geckoTerminalPools({ data }, network)?.map(({ chain, token }) => `${chain} ${token}`);
    expect(tokensOf([pool('ton_EQ_a_b')], 'ton')).toEqual(['ton EQ_a_b']);
    expect(tokensOf([pool('polygon_pos_0xA', 'polygon_pos'), pool('eth_0xB', 'base'), {}, null])).toEqual([
      'polygon 0xA',
    ]);
    expect(tokensOf([pool('eth_0xB')])).toEqual([]);
    expect(geckoTerminalPools({ data: 'none' })).toBeUndefined();
  });

  it('knows holders and risks of a token, and says nothing of what it does not know', () => {
    expect(tokenFacts(recorded('geckoterminal-token-info'))).toEqual({
      holders: 730,
      top10Share: 0.248966,
      isMintable: false,
      isFreezable: false,
      isHoneypot: undefined,
      links: { twitter: 'https://x.com/i/communities/1981471227802738914' },
    });
    const attributes = { holders: null, mint_authority: null, freeze_authority: 'Auth', is_honeypot: true };
    expect(tokenFacts({ data: { attributes } })).toEqual({ isFreezable: true, isHoneypot: true, links: {} });
    expect(tokenFacts({ data: null })).toBeUndefined();
  });

  it.each([
    ['ethereum', 'eth'],
    ['polygon', 'polygon_pos'],
    ['solana', 'solana'],
  ])('names %s %s', (chain, network) => {
    expect(networkOf(chain)).toBe(network);
    expect(chainOf(network)).toBe(chain);
  });
});
