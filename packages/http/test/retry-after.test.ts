import { expect, it } from 'vitest';
import { retryAfterMs } from '../src/retry-after.ts';

const now = Date.parse('1994-11-06T08:49:00Z');

it.each([
  ['0', 0],
  ['37', 37_000],
  ['3600', 3_600_000],
  ['3601', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  // The three forms of RFC 9110, 5.6.7.
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['Fri, 06 Nov 2099 08:48:00 GMT', 3_600_000],
])('Retry-After is parsed from seconds and from all forms of a date: %s', (header, wanted) => {
  expect(retryAfterMs(header, now)).toBe(wanted);
});

it.each([
  undefined,
  '',
  ' ',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  'soon',
  'soon GMT',
  '1994-11-06T08:49:37Z',
  'Sun, 06 Nov 1994 08:49:37 +0100',
])('an invalid Retry-After is ignored: %s', (header) => {
  expect(retryAfterMs(header, now)).toBeUndefined();
});
