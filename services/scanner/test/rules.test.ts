import { signalTypes } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../src/domain/observation.ts';
import { defaultThresholds, judge, type Reason } from '../src/domain/rules/v1.ts';

const observedAt = new Date('2026-01-02T00:00:00Z');
const hoursAgo = (hours: number) => new Date(observedAt.getTime() - hours * 3_600_000);

/** A token of an hour that is `new` and nothing else. */
const fresh: Observation = {
  chain: 'base',
  contract: '0xA',
  symbol: 'NOVA',
  name: 'Nova',
  links: {},
  observedAt,
  pooledAt: hoursAgo(1),
  mcap: 100_000,
  liquidity: 20_000,
  volume1h: 10_000,
  volume24h: 10_000,
  buys1h: 60,
  sells1h: 40,
  trades24h: 100,
  change1h: 20,
};
const verdict = (change: Partial<Observation>) => judge({ ...fresh, ...change }, defaultThresholds);

describe('a candidate', () => {
  it.each<[Reason, Partial<Observation>]>([
    ['no_market', { mcap: undefined }],
    ['no_market', { liquidity: undefined }],
    ['age_unknown', { pooledAt: undefined }],
    ['implausible_cap', { mcap: 1e15, liquidity: 1e14 }],
    ['low_liquidity', { liquidity: 9_999 }],
    ['thin_liquidity', { mcap: 1_000_001 }],
    ['few_trades', { buys1h: 19, sells1h: 10 }],
    ['nobody_sells', { buys1h: 96, sells1h: 4 }],
    ['sold_off', { buys1h: 19, sells1h: 81 }],
    ['jump', { change1h: 901 }],
    ['concentrated', { top10Share: 0.51 }],
    ['honeypot', { isHoneypot: true }],
    ['mintable', { isMintable: true }],
    ['freezable', { isFreezable: true }],
  ])('is no signal of any type: %s', (reason, change) => {
    expect(verdict({}).types).toEqual(['new']);
    expect(verdict(change)).toEqual({
      types: [],
      refusals: Object.fromEntries(signalTypes.map((type) => [type, reason])),
    });
  });

  it('is new up to a day, when it has buyers', () => {
    expect(verdict({ pooledAt: hoursAgo(24) }).types).toEqual(['new']);
    expect(verdict({ pooledAt: hoursAgo(24.01) }).refusals.new).toBe('other_age');
    expect(verdict({ buys1h: 49 }).refusals.new).toBe('few_buys');
  });

  const awake = { volume24h: 80_000, trades24h: 1_200 };
  it.each([
    ['3d', 24.01, 72],
    ['7d', 72.01, 168],
    ['30d', 168.01, 720],
  ] as const)('is %s from %d to %d hours, when it trades more than in its day before', (type, from, to) => {
    for (const hours of [from, to]) {
      expect(verdict({ ...awake, pooledAt: hoursAgo(hours) }).types).toEqual([type]);
      expect(verdict({ volume24h: 80_001, trades24h: 1_200, pooledAt: hoursAgo(hours) }).refusals[type]).toBe(
        'asleep',
      );
      expect(verdict({ volume24h: 80_000, trades24h: 1_201, pooledAt: hoursAgo(hours) }).refusals[type]).toBe(
        'asleep',
      );
    }
    expect(verdict({ ...awake, pooledAt: hoursAgo(to + 0.01) }).refusals[type]).toBe('other_age');
  });

  it('is wallet when many wallets bought, and few of them twice', () => {
    expect(verdict({ buyers1h: 102, buys1h: 120 }).types).toEqual(['new', 'wallet']);
    expect(verdict({ buyers1h: 99, buys1h: 100 }).refusals.wallet).toBe('few_buyers');
    expect(verdict({ buyers1h: 101, buys1h: 120 }).refusals.wallet).toBe('few_buyers');
    expect(verdict({}).refusals.wallet).toBe('buyers_unknown');
    expect(verdict({ buyers1h: 121, buys1h: 120 }).refusals.wallet).toBe('buyers_unknown');
  });

  it('is premium by stricter limits, when its risks are known', () => {
    const safe = { isHoneypot: false, isMintable: false, isFreezable: false, top10Share: 0.3 };
    const strong = { ...safe, liquidity: 50_000, buys1h: 100, sells1h: 50 };
    expect(verdict(strong).types).toEqual(['new', 'premium']);
    for (const weaker of [
      { liquidity: 49_999 },
      { sells1h: 49 },
      { top10Share: 0.31 },
      { pooledAt: hoursAgo(721) },
    ])
      expect(verdict({ ...strong, ...weaker }).refusals.premium).toBe('not_premium');
    // Solana has authorities and no trial of a sale, other chains the other way round.
    const [trialUnknown, authoritiesUnknown] = [{ isHoneypot: undefined }, { isMintable: undefined }];
    for (const known of [trialUnknown, authoritiesUnknown])
      expect(verdict({ ...strong, ...known }).types).toEqual(['new', 'premium']);
    for (const unknown of [{ top10Share: undefined }, { ...trialUnknown, ...authoritiesUnknown }])
      expect(verdict({ ...strong, ...unknown }).refusals.premium).toBe('risks_unknown');
  });
});
