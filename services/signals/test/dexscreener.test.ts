import { readFileSync } from 'node:fs';
import { newSignalSchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { mapPair, pairsOf } from '../src/import/dexscreener.ts';

const recorded: unknown = JSON.parse(
  readFileSync(new URL('./fixtures/dexscreener-pairs.json', import.meta.url), 'utf8'),
);
const pairs = pairsOf(recorded) as Record<string, unknown>[];
const settings = { type: 'new', premium: true, recordedAt: new Date('2024-03-20T00:00:00Z') } as const;
const first = pairs[0] ?? {};

const reasons = (pair: unknown) => {
  const mapped = mapPair(pair, settings);
  return mapped.kind === 'unusable' ? mapped.reasons : [];
};

describe('pairs recorded from DexScreener', () => {
  it('recorded pairs with market cap and age become signals, by marketCap or else by fdv', () => {
    expect(pairs).toHaveLength(17);
    const mapped = pairs.map((pair) => mapPair(pair, settings));
    expect(mapped.filter(({ kind }) => kind === 'signal')).toHaveLength(10);
    expect(reasons(pairs[0])).toEqual(['no market cap (marketCap or fdv)']);
    expect(reasons(pairs[4])).toEqual(['no creation time, so no age (pairCreatedAt)']);
    expect(mapped[2]).toMatchObject({ signal: { metrics: { mcap_entry: 751_181.04 } } });
    expect(mapPair({ ...pairs[2], marketCap: 5 }, settings)).toMatchObject({
      signal: { metrics: { mcap_entry: 5 } },
    });
  });

  it('a recorded pair becomes a signal that the service accepts', () => {
    const mapped = mapPair({ ...first, marketCap: 4_531_000 }, settings);
    if (mapped.kind !== 'signal') throw new Error(mapped.reasons.join());
    expect(newSignalSchema.parse(mapped.signal)).toEqual({
      token: {
        symbol: 'babyDOJO',
        name: 'Baby DOJO Token',
        contract: 'inj19dtllzcquads0hu3ykda9m58llupksqwekkfnw',
        chain: 'injective',
        age_hours: 57.71,
        dex_paid: false,
        socials: {
          twitter: 'https://twitter.com/Dojo_Swap',
          telegram: 'https://t.me/dojo_swap',
          website: 'https://baby.dojo.trading/',
        },
      },
      metrics: { mcap_entry: 4_531_000, volume_24h: 250_142.62, holders: 0, liquidity: 879_284.45 },
      type: 'new',
      is_premium: true,
    });
  });

  it('an unusable pair has every reason at once', () => {
    expect(reasons({})).toHaveLength(7);
    expect(reasons({ ...first, marketCap: '5', volume: {}, liquidity: { usd: -1 } })).toEqual([
      'no market cap (marketCap or fdv)',
      'no 24-hour volume (volume.h24)',
      'no liquidity in US dollars (liquidity.usd)',
    ]);
    expect(reasons({ ...first, marketCap: 0 })).toEqual(['a market cap of 0 (marketCap or fdv)']);
    expect(reasons({ ...first, marketCap: 1, pairCreatedAt: Date.parse('2024-03-21') })).toEqual([
      'a creation time after the answer was recorded (pairCreatedAt)',
    ]);
  });

  it('a pair keeps everything but links that are no http addresses', () => {
    const info = { websites: [{ url: 'javascript:alert(1)' }], socials: 'none' };
    const mapped = mapPair({ ...first, marketCap: 1, info }, settings);
    expect(mapped).toMatchObject({
      signal: { token: { socials: { twitter: '', telegram: '', website: '' } } },
    });
  });

  it('pairs are found by the shape of the answer', () => {
    expect(pairsOf(pairs)).toHaveLength(17);
    expect(pairsOf({ schemaVersion: '1.0.0', pairs: null })).toEqual([]);
    expect(pairsOf({ token: {}, metrics: {} })).toBeUndefined();
    expect(pairsOf([1, 2])).toBeUndefined();
  });
});
