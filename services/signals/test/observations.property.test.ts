import { roiHundredths, signalDetailSchema, signalStatuses } from '@sigcast/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../src/domain/apply-patch.ts';
import { toDetail } from '../src/domain/signal.ts';
import { sampleSignal } from './samples.ts';

const createdAt = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000);
const by = { source: 'producer', newEventId: () => 'evt_01J9ZQ6W8T3M5N7P9R1S3V5X7Z' } as const;
const lastMinute = 10_000;

const observations = fc.array(
  fc.record({
    mcap: fc.double({ min: 0, max: 1e11, noNaN: true }),
    // Most are near each other, so that many come just late.
    minute: fc.oneof(fc.integer({ min: -2, max: 10 }), fc.integer({ min: -50, max: lastMinute })),
    again: fc.boolean(),
  }),
  { maxLength: 40 },
);

describe('observations in any order', () => {
  it('a signal is as if only the observations that were the newest on arrival had been made', () => {
    fc.assert(
      fc.property(observations, fc.double({ min: 1, max: 1e9, noNaN: true }), (list, mcapEntry) => {
        let signal = sampleSignal(createdAt, { mcap_entry: mcapEntry });
        const expected = { newest: 0, current: mcapEntry, ath: mcapEntry, athMinute: 0, rev: 1 };
        // A producer may send each of them again.
        for (const { mcap, minute } of list.flatMap((each) => (each.again ? [each, each] : [each]))) {
          const patch = { metrics: { mcap_current: mcap }, observed_at: at(minute) };
          const outcome = applyPatch(signal, patch, { now: at(lastMinute), ...by });
          const isRepeated = minute === expected.newest && mcap === expected.current;
          if (minute < expected.newest || isRepeated) {
            expect(outcome).toEqual({ kind: 'unchanged', signal });
            continue;
          }
          if (outcome.kind !== 'changed') throw new Error(outcome.kind);
          signal = outcome.signal;
          Object.assign(expected, { newest: minute, current: mcap, rev: expected.rev + 1 });
          if (mcap > expected.ath) Object.assign(expected, { ath: mcap, athMinute: minute });
          expect(outcome.event).toMatchObject({ rev: expected.rev, data: toDetail(signal) });
        }
        expect(signal.rev).toBe(expected.rev);
        const { metrics, performance } = signalDetailSchema.parse(toDetail(signal));
        expect(metrics).toMatchObject({ mcap_current: expected.current, mcap_ath: expected.ath });
        expect(performance.roi).toBe(roiHundredths(mcapEntry, expected.current) / 100);
        expect(performance.ath_roi).toBeGreaterThanOrEqual(Math.max(0, performance.roi));
        expect(performance.time_to_ath_hours).toBeCloseTo(expected.athMinute / 60, 1);
      }),
    );
  });

  it('a status never goes back, and every change raises the revision by one', () => {
    const rank = { active: 0, winner: 1, dead: 2, rugged: 2 } as const;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signalStatuses)), (statuses) => {
        let signal = sampleSignal(createdAt);
        statuses.forEach((status, minute) => {
          const outcome = applyPatch(signal, { status }, { now: at(minute), ...by });
          if (outcome.kind !== 'changed') return;
          expect(rank[outcome.signal.status]).toBeGreaterThan(rank[signal.status]);
          expect(outcome.signal.rev).toBe(signal.rev + 1);
          signal = outcome.signal;
        });
        expect(signal.rev).toBeLessThanOrEqual(3);
      }),
    );
  });
});
