import { describe, expect, it } from 'vitest';
import {
  fieldsOf,
  limitsOf,
  limitWords,
  networksProblem,
  noLimits,
} from '../src/routes/profile/key-limits.ts';
import { daysToChoose, expiryOf } from '../src/routes/profile/lifetime.ts';

const unlimited = { scopes: null, networks: null, requests_per_minute: null };
const narrow = {
  scopes: ['signals:read', 'stats:read'] as ('signals:read' | 'stats:read')[],
  networks: ['203.0.113.0/24', '2001:db8::/32', '10.0.0.0/8'],
  requests_per_minute: 20,
};

describe('the limits of a key', () => {
  it('stay the same in the form that edits them', () => {
    for (const limits of [unlimited, narrow]) expect(limitsOf(fieldsOf(limits))).toEqual(limits);
    expect(fieldsOf(unlimited)).toEqual(noLimits);
  });

  it('take networks in lines or with commas, and blanks around them', () => {
    const networks = ' 10.0.0.0/8 ,\n\n 2001:db8::/32\n';
    expect(limitsOf({ ...noLimits, networks }).networks).toEqual(['10.0.0.0/8', '2001:db8::/32']);
  });

  it('are said in a line, and not at all where there are none', () => {
    expect(limitWords(unlimited)).toBe('');
    expect(limitWords(narrow)).toBe(
      'signals:read, stats:read · from 203.0.113.0/24, 2001:db8::/32 and 1 more · 20 a minute',
    );
  });

  it('show which network is wrong', () => {
    const problems = { 'networks.1': 'Must be a network.' };
    expect(networksProblem(problems, '10.0.0.0/8\nhome')).toBe('home: Must be a network.');
    expect(networksProblem({}, 'home')).toBeUndefined();
  });
});

describe('the lifetime of a key', () => {
  it('on a date ends with that day of the reader, and needs a date', () => {
    const chosen = { choice: 'date', date: '2026-11-21' };
    expect(expiryOf(chosen)).toEqual({ expires_at: new Date(2026, 10, 21, 23, 59, 59).toISOString() });
  });

  it('can be chosen from today up to two years ahead', () => {
    expect(daysToChoose(new Date(2026, 10, 21, 8).getTime())).toEqual({
      min: '2026-11-21',
      max: '2028-11-20',
    });
  });
});
