import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factEventSchema, factOf } from '../src/domain/fact.ts';
import { eventOf } from './events.ts';

describe('a fact', () => {
  const revision = {
    signal: 1,
    type: 'new',
    status: 'active',
    roi: 5,
    createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
    rev: 2,
  } as const;
  const v1 = { rule: 'v1', roi: 12.34, entered_at: '2026-01-01T00:00:00.000Z', exited_at: null, exit: null };

  it('has the position of its event by the rule that is counted', () => {
    const { realizable } = factOf(factEventSchema.parse({ ...eventOf(revision), realizable: v1 }));
    expect(realizable).toEqual({ roi: 1_234, exit: 'open' });
    const sold = { roi: 9_505, exit: 'target' } as const;
    expect(factOf(eventOf({ ...revision, realizable: sold })).realizable).toEqual(sold);
  });

  it.each([
    ['another version with the same members', { ...v1, rule: 'v2' }],
    ['another version with other members', { rule: 'v2', exit: 'trailing', legs: [1] }],
    ['another rule', { rule: 'momentum' }],
    ['an exit that is not known', { ...v1, exit: 'trailing' }],
    ['no ROI', { ...v1, roi: null }],
  ])('has no position where the event has %s, and all its other figures', (_what, realizable) => {
    const event = eventOf(revision);
    expect(factOf(event).realizable).toBeUndefined();
    expect(factOf(factEventSchema.parse({ ...event, realizable }))).toEqual(
      factOf(factEventSchema.parse(event)),
    );
  });

  it('has the ROI as the integer that the event’s ROI was made of', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 2 ** 45 }), (roi) => {
        const event = eventOf({ signal: 1, type: 'new', status: 'active', roi, createdAtMs: 0, rev: 1 });
        expect(factOf(event).roi).toBe(roi);
      }),
    );
  });
});
