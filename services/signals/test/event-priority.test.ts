import { describe, expect, it } from '@jest/globals';
import { eventPriority } from '../src/domain/event-priority.ts';

describe('an event', () => {
  const importedAt = new Date('2026-01-01T00:00:00Z');
  const after = (minutes: number) => new Date(importedAt.getTime() + minutes * 60_000);

  it('is live when its signal came by itself', () => {
    expect(eventPriority(after(0), undefined)).toBe('live');
  });

  it('is bulk when it tells of an import, or of a change in the ten minutes after it, and live later', () => {
    expect([0, 5, 9.99, 10, 60].map((minutes) => eventPriority(after(minutes), importedAt))).toEqual([
      ...['bulk', 'bulk', 'bulk'],
      ...['live', 'live'],
    ]);
  });
});
