import { expect, it } from 'vitest';
import { isOutage } from '../src/domain/mail/sending.ts';

it('a mail that hangs is no outage of the mail server while others are answered', () => {
  expect(isOutage(['unreachable', 'unreachable'])).toBe(true);
  expect(isOutage(['unreachable', 'unwanted'])).toBe(true);
  expect(isOutage(['unreachable', 'sent'])).toBe(false);
  expect(isOutage(['deferred', 'unreachable', 'unreachable'])).toBe(false);
  expect(isOutage(['unreachable', 'refused'])).toBe(false);
  expect(isOutage([])).toBe(false);
});
