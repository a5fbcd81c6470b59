import { expect, it } from 'vitest';
import { digestOf, filterText } from '../src/routes/profile/digest-filter.ts';

const filter = { 'token.chain': { eq: 'solana' } };

it('a digest is as its fields say: off, of all signals, or of those that a filter in JSON matches', () => {
  expect(digestOf('off', filterText(filter))).toBeNull();
  expect(digestOf('daily', ' ')).toEqual({ every: 'daily', filter: null });
  expect(digestOf('weekly', filterText(filter))).toEqual({ every: 'weekly', filter });
});

it.each(['{', '[]', '1', 'null'])('a filter of a digest that is %s is refused', (text) => {
  expect(() => digestOf('daily', text)).toThrow('must be a JSON object');
});
