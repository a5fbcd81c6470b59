import { describe, expect, it } from 'vitest';
import { localMinute, localTime } from '../src/ui/local-time.ts';

describe('a field of local date and time', () => {
  it.each(['2026-11-21T08:05:00.000Z', '2026-07-01T00:00:09.000Z', '2026-03-01T23:59:59.007Z'])(
    'stands for the instant that it was filled with: %s',
    (iso) => {
      expect(new Date(localTime(Date.parse(iso))).toISOString()).toBe(iso);
    },
  );

  it('has seconds only if they are not zero', () => {
    expect(localTime(Date.parse('2026-11-21T08:05:00.000Z'))).toMatch(/T\d\d:05$/);
    expect(localTime(Date.parse('2026-11-21T08:05:00.001Z'))).toMatch(/:05:00\.001$/);
    expect(localTime(Date.parse('2026-11-21T08:05:01.000Z'))).toMatch(/:05:01$/);
    expect(localMinute(Date.parse('2026-11-21T08:05:59.999Z'))).toMatch(/T\d\d:05$/);
  });
});
