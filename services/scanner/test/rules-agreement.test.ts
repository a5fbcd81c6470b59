import { signalTypes } from '@sigcast/contracts';
import { modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../src/domain/observation.ts';
import { defaultThresholds, judge, reasons } from '../src/domain/rules/v1.ts';
import { type Figures, secondVerdict } from './second-rules.ts';

const observedAt = new Date('2026-01-02T00:00:00Z');

/** An amount around some limits, or unknown. */
const around = (...limits: readonly number[]) =>
  fc.option(
    fc
      .tuple(fc.constantFrom(...limits), fc.constantFrom(0, 0.1, 0.5, 0.97, 1, 1.03, 2, 5))
      .map(([limit, by]) => limit * by),
    { nil: undefined, freq: 12 },
  );
const maybe = fc.option(fc.boolean(), { nil: undefined });
const known = (value: number | undefined) => value ?? Number.NaN;

const anyToken = fc.record({
  mcap: around(100_000, 500_000, 1e9),
  liquidity: around(10_000, 50_000),
  hours: around(24, 72, 168, 720),
  volume1h: around(12_500, 100_000),
  volume24h: around(100_000),
  buys: around(50, 100, 150).map((count) => count && Math.round(count)),
  sells: around(10, 50, 100).map((count) => count && Math.round(count)),
  trades24h: around(400, 1_200).map((count) => count && Math.round(count)),
  change: around(900),
  buyers: around(100, 85).map((count) => count && Math.round(count)),
  top10: around(0.3, 0.5),
  honeypot: maybe,
  mintable: maybe,
  freezable: maybe,
});
type AnyToken = typeof anyToken extends fc.Arbitrary<infer Token> ? Token : never;

/** Thresholds near the published ones: each of them may be another one. */
const anyThresholds = fc.record(
  Object.fromEntries(
    Object.entries(defaultThresholds).map(([group, values]: [string, Readonly<Record<string, number>>]) => [
      group,
      fc.record(
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            fc.constantFrom(value, value, value / 2, value * 2),
          ]),
        ),
      ),
    ]),
  ),
) as unknown as fc.Arbitrary<typeof defaultThresholds>;

function observationOf({ hours, ...token }: AnyToken): Observation {
  return {
    chain: 'base',
    contract: '0xA',
    symbol: 'NOVA',
    name: 'Nova',
    links: {},
    observedAt,
    pooledAt: hours === undefined ? undefined : new Date(observedAt.getTime() - hours * 3_600_000),
    mcap: token.mcap,
    liquidity: token.liquidity,
    volume1h: token.volume1h,
    volume24h: token.volume24h,
    buys1h: token.buys,
    sells1h: token.sells,
    trades24h: token.trades24h,
    buyers1h: token.buyers,
    change1h: token.change,
    top10Share: token.top10,
    isHoneypot: token.honeypot,
    isMintable: token.mintable,
    isFreezable: token.freezable,
  };
}

function figuresOf(token: AnyToken): Figures {
  const { pooledAt } = observationOf(token);
  const { honeypot, mintable, freezable, hours: _hours, ...amounts } = token;
  const numbers = Object.entries(amounts).map(([name, value]) => [name, known(value)]);
  const hours = pooledAt ? (observedAt.getTime() - pooledAt.getTime()) / 3_600_000 : Number.NaN;
  return { ...Object.fromEntries(numbers), hours, honeypot, mintable, freezable } as Figures;
}

/** The scanner's verdict in the second one's form. */
const verdictOf = (token: AnyToken, thresholds = defaultThresholds) => {
  const { refusals } = judge(observationOf(token), thresholds);
  return Object.fromEntries(signalTypes.map((type) => [type, refusals[type] ?? '']));
};

describe('the rules', () => {
  it('judge any token as a second implementation judges it, type by type, whatever the thresholds', () => {
    const thresholds = fc.oneof(fc.constant(defaultThresholds), anyThresholds);
    fc.assert(
      fc.property(anyToken, thresholds, (token, limits) => {
        expect(verdictOf(token, limits)).toEqual(secondVerdict(figuresOf(token), limits));
      }),
      modelRuns(3_000),
    );
  });

  it('are compared on tokens of every type and with every reason', () => {
    const verdicts = fc.sample(anyToken, { seed: 41, numRuns: 40_000 }).map((token) => verdictOf(token));
    const seen = new Set(verdicts.flatMap((verdict) => Object.values(verdict)));
    const beside: readonly string[] = ['bad_name', 'cooling_down'];
    expect([...seen].sort()).toEqual(['', ...reasons.filter((reason) => !beside.includes(reason))].sort());
    for (const type of signalTypes)
      expect(verdicts.filter((verdict) => verdict[type] === '').length).toBeGreaterThan(0);
  });

  it('refuse nothing more when a risk becomes unknown, but premium', () => {
    fc.assert(
      fc.property(anyToken, fc.constantFrom('top10', 'honeypot', 'mintable', 'freezable'), (token, risk) => {
        const { premium: _known, ...before } = verdictOf(token);
        const { premium: _unknown, ...after } = verdictOf({ ...token, [risk]: undefined });
        for (const [type, reason] of Object.entries(before)) if (reason === '') expect(after[type]).toBe('');
      }),
      modelRuns(1_000),
    );
  });

  it('make no token premium that is not one of the first four types', () => {
    fc.assert(
      fc.property(anyToken, anyThresholds, (token, limits) => {
        const verdict = verdictOf(token, limits);
        const isOfAge = ['new', '3d', '7d', '30d'].some((type) => verdict[type] === '');
        expect(verdict.premium === '' && !isOfAge).toBe(false);
      }),
      modelRuns(1_000),
    );
  });
});
