import { describe, expect, it } from 'vitest';
import {
  change,
  dayRange,
  exactChange,
  exactTime,
  hours,
  milliseconds,
  plural,
  profit,
  relativeTime,
  sentence,
  shortAge,
  usd,
  usdParts,
} from '../src/ui/format.ts';

describe('figures in words', () => {
  it.each([
    [usd(0), '$0'],
    [usd(1_234_567), '$1.23M'],
    [change(713.25), '+713.3%'],
    [change(-99.58), '−99.6%'],
    [change(0), '0.0%'],
    [change(1_020), '11.2×'],
    [change(45_900.123), '460×'],
    [exactChange(-8.514), '−8.51%'],
    [profit(12_345.6), '+$12,345.60'],
    [profit(-0.5), '−$0.50'],
    [profit(0), '$0.00'],
    [plural(1, 'signal'), '1 signal'],
    [plural(0, 'signal'), '0 signals'],
    [plural(1_204, 'delivery', 'deliveries'), '1,204 deliveries'],
    [hours(0.5), '30 min'],
    [hours(12.34), '12.3 h'],
    [hours(240), '10 days'],
    [milliseconds(0.42), '0.4 ms'],
    [milliseconds(83.4), '83 ms'],
    [milliseconds(4_981), '4.98 s'],
    [relativeTime(-30_000), '30s ago'],
    [relativeTime(-200_000), '3m ago'],
    [relativeTime(86_400_000 * 2), 'in 2d'],
    [relativeTime(20_000), 'in 20s'],
    [shortAge(-1), '0s'],
    [shortAge(59_999), '59s'],
    [shortAge(86_400_000 * 45), '1mo'],
    [usdParts(1_234_567).join(' '), '$1.23 M'],
    [usdParts(999.96).join(' '), '$1.00 K'],
    [usdParts(12).join(' '), '$12.0 '],
  ])('says %s', (said, expected) => {
    expect(said).toBe(expected);
  });

  it('has the days from one instant to another, and a single day only once', () => {
    const noon = (day: string) => `${day}T12:00:00.000Z`;
    expect(dayRange(noon('2026-10-24'), noon('2026-11-23'))).toMatch(/^Oct 24\s–\sNov 23, 2026$/);
    expect(dayRange(noon('2026-11-23'), noon('2026-11-23'))).toBe('Nov 23, 2026');
  });

  it('has the zone in an exact time', () => {
    expect(exactTime('2026-11-21T04:31:44.000Z')).toMatch(/^Nov 2[01], 2026, .+ (UTC|GMT|[A-Z]{3,5})/);
  });
});

it('a message of the API is shown as a sentence', () => {
  expect(['must be a number', 'Try again later.'].map(sentence)).toEqual([
    'Must be a number.',
    'Try again later.',
  ]);
});
