import { expect, it } from 'vitest';
import {
  maxRetiredSecrets,
  rotated,
  secretOverlapMs,
  signingSecrets,
} from '../src/domain/signing-secrets.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start + ms);
const first = { secret: 'a', retiredSecrets: [] };

it('a replaced signing secret signs beside the new one for 24 hours, to the millisecond', () => {
  const two = rotated(first, 'b', after(0)) ?? first;
  expect(signingSecrets(two, after(secretOverlapMs - 1))).toEqual(['b', 'a']);
  expect(signingSecrets(two, after(secretOverlapMs))).toEqual(['b']);
});

it('each replaced signing secret keeps its own 24 hours when another rotation follows', () => {
  const two = rotated(first, 'b', after(0)) ?? first;
  const three = rotated(two, 'c', after(secretOverlapMs / 2)) ?? two;
  expect(signingSecrets(three, after(secretOverlapMs - 1))).toEqual(['c', 'b', 'a']);
  expect(signingSecrets(three, after(secretOverlapMs))).toEqual(['c', 'b']);
  expect(signingSecrets(three, after(1.5 * secretOverlapMs))).toEqual(['c']);
});

it('a fifth rotation of a signing secret is refused until the first replaced secret has ended', () => {
  let secrets: ReturnType<typeof rotated> = first;
  for (let i = 0; i < maxRetiredSecrets; i++) secrets = secrets && rotated(secrets, `s${i}`, after(i));
  const full = secrets ?? first;
  expect(signingSecrets(full, after(maxRetiredSecrets))).toHaveLength(maxRetiredSecrets + 1);
  expect(rotated(full, 'x', after(maxRetiredSecrets))).toBeUndefined();
  expect(rotated(full, 'x', after(secretOverlapMs))).toBeDefined();
});
