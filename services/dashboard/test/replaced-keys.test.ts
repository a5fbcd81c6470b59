import { describe, expect, it } from '@jest/globals';
import { replacedKeys } from '../src/routes/profile/replaced-keys.ts';

const old = {
  id: 'old',
  name: 'Bot',
  environment: 'production',
  state: 'active',
  created_at: '2026-11-01T00:00:00Z',
  expires_at: '2026-11-27T12:00:00Z',
} as const;
const next = {
  ...old,
  id: 'next',
  created_at: '2026-11-20T12:00:00.003Z',
  expires_at: '2027-11-20T12:00:00Z',
} as const;

describe('keys that another one has taken the place of', () => {
  it('end within the overlap of one of the same name and environment', () => {
    expect([...replacedKeys([next, old])]).toEqual(['old']);
  });

  it.each([
    ['another name', [next, { ...old, name: 'Site' }]],
    ['another environment', [next, { ...old, environment: 'staging' }]],
    ['no end', [next, { ...old, expires_at: null }]],
    ['an end of its own', [next, { ...old, expires_at: '2026-12-30T00:00:00Z' }]],
    ['a successor that is revoked', [{ ...next, state: 'revoked' }, old]],
    ['an end that has come', [next, { ...old, state: 'revoked' }]],
  ] as const)('are none with %s', (_, keys) => {
    expect(replacedKeys(keys).size).toBe(0);
  });
});
