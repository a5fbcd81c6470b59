import { defaultThresholds, readThresholds } from '@sigcast/outcomes';
import { expect, it } from 'vitest';

it('the thresholds of v1 are those that are published', () => {
  expect(defaultThresholds).toEqual({
    winner: { multiple: 2, sustained_minutes: 10, min_liquidity_usd: 1_000 },
    rugged: { remaining_share: 0.1, window_minutes: 60, min_liquidity_usd: 100, confirmations: 2 },
    dead: { share: 0.1, confirmations: 2, silent_hours: 72 },
  });
  expect(readThresholds(JSON.parse(JSON.stringify(defaultThresholds)))).toEqual(defaultThresholds);
});

const { winner, rugged, dead } = defaultThresholds;

it.each([
  ['no object', 3, ['the whole must be an object']],
  ['a list', [], ['the whole must be an object']],
  ['a missing rule', { winner, rugged }, ['dead must be an object']],
  ['an unknown rule', { winner, rugged, dead, rich: {} }, ['rich is not known']],
  [
    'several wrong fields',
    {
      winner: { multiple: 1, sustained_minutes: '10' },
      rugged: { ...rugged, confirmations: 1.5, remaining_share: 0, max_liquidity_usd: 1 },
      dead: { ...dead, share: 1.01, silent_hours: Number.NaN },
    },
    [
      'winner.multiple must be a number above 1 up to 1000000',
      'winner.sustained_minutes must be a number above 0 up to 1000000',
      `winner.min_liquidity_usd must be a number from 0 up to ${Number.MAX_SAFE_INTEGER}`,
      'rugged.remaining_share must be a number above 0 up to 1',
      'rugged.confirmations must be a whole number from 1 up to 9',
      'rugged.max_liquidity_usd is not known',
      'dead.share must be a number above 0 up to 1',
      'dead.silent_hours must be a number above 0 up to 1000000',
    ],
  ],
])('thresholds with %s are refused, naming each wrong field', (_, json, problems) => {
  expect(() => readThresholds(json)).toThrow(`The thresholds of the rules are wrong: ${problems.join('; ')}`);
});
