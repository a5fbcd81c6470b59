import { describe, expect, it } from 'vitest';
import { eventPriority } from '../src/domain/event-priority.ts';

describe('the priority of events', () => {
  const importedAt = new Date('2026-01-01T00:00:00Z');
  const after = (hours: number) => new Date(importedAt.getTime() + hours * 3_600_000);

  it('an event is live when its signal was not imported', () => {
    expect(eventPriority(after(0), undefined)).toBe('live');
  });

  it('an event is bulk for an import and for changes in the day after it, and live later', () => {
    expect([0, 1, 23.99, 24, 48].map((hours) => eventPriority(after(hours), importedAt))).toEqual([
      ...['bulk', 'bulk', 'bulk'],
      ...['live', 'live'],
    ]);
  });
});
