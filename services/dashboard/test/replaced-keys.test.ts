import { describe, expect, it } from 'vitest';
import { inOrder, type Key, successorsOf } from '../src/routes/profile/replaced-keys.ts';

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
/** `next` was rotated in its turn. */
const third = { ...next, id: 'third', created_at: '2026-11-21T12:00:00Z' } as const;
const rotatedNext = { ...next, expires_at: '2026-11-22T12:00:00Z' } as const;

describe('rotated keys', () => {
  it('end within the overlap of one of the same name and environment', () => {
    expect([...successorsOf<Key>([next, old])]).toEqual([['old', next]]);
  });

  it.each([
    ['another name', [next, { ...old, name: 'Site' }]],
    ['another environment', [next, { ...old, environment: 'staging' }]],
    ['no end', [next, { ...old, expires_at: null }]],
    ['an end of its own', [next, { ...old, expires_at: '2026-12-30T00:00:00Z' }]],
    ['a successor that is revoked', [{ ...next, state: 'revoked' }, old]],
    ['an end that has come', [next, { ...old, state: 'revoked' }]],
  ] as const)('do not include a key with %s', (_, keys: readonly Key[]) => {
    expect(successorsOf(keys).size).toBe(0);
  });

  it('each follow their own successor when rotation follows rotation', () => {
    const successors = successorsOf<Key>([third, rotatedNext, old]);
    expect([...successors].map(([id, successor]) => [id, successor.id])).toEqual([
      ['old', 'next'],
      ['next', 'third'],
    ]);
  });

  it('are listed right behind their successors, before keys that are not valid any more', () => {
    const keys: readonly Key[] = [
      { ...old, id: 'gone', name: 'Gone', state: 'revoked' },
      old,
      { ...old, id: 'other', name: 'Other', expires_at: null },
      third,
      rotatedNext,
    ];
    const order = inOrder(keys, successorsOf(keys)).map(({ id }) => id);
    expect(order).toEqual(['other', 'third', 'next', 'old', 'gone']);
  });
});
