import { describe, expect, it } from 'vitest';
import { missedSince } from '../src/routes/webhooks/missed-since.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const day = 86_400_000;

function missed(reason: 'paused' | 'failing' | null, at: string | null): string | undefined {
  const ms = missedSince({ disabled_reason: reason, disabled_at: at }, nowMs);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

describe('since when a disabled webhook has missed something', () => {
  it('is when it was paused', () => {
    expect(missed('paused', '2026-11-10T08:00:00Z')).toBe('2026-11-10T08:00:00.000Z');
  });

  it('is three days before it was disabled as failing, because the deliveries of those days failed as well', () => {
    expect(missed('failing', '2026-11-10T08:00:00Z')).toBe('2026-11-07T08:00:00.000Z');
  });

  it.each(['paused', 'failing'] as const)(
    'is no longer ago than the API accepts for one that is %s',
    (reason) => {
      const since = Date.parse(missed(reason, '2026-10-01T00:00:00Z') ?? '');
      expect(since).toBeGreaterThan(nowMs - 30 * day);
      expect(since).toBeLessThan(nowMs - 29 * day);
    },
  );

  it('is unknown while it is enabled', () => {
    expect(missed(null, null)).toBeUndefined();
  });
});
