import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ThinnableObservation, Thinning, thinnedBefore, thinningTime } from '../src/domain/thinning.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-03-01T00:00:00Z');

type Sample = ThinnableObservation & { readonly isEvidence: boolean };

const removedOf = (observations: readonly Sample[], mcapEntry = 100) => {
  const evidence = observations.filter(({ isEvidence }) => isEvidence).map(({ at }) => at);
  const thinning = new Thinning(mcapEntry, evidence);
  return observations.flatMap((observation) => thinning.next(observation) ?? []);
};

/** Observations in order of time, some of which share an instant. */
const observations = fc
  .array(
    fc.record({
      afterMs: fc.nat(hourMs / 2),
      mcap: fc.integer({ min: 1, max: 300 }),
      /** Minutes by which the observation was recorded late. */
      late: fc.oneof(fc.constant(0), fc.nat(120)),
      changesStatus: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      isEvidence: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    }),
    { maxLength: 60 },
  )
  .map((made) => {
    let atMs = start;
    let mcapAth = 100;
    return made.map(({ afterMs, mcap, late, changesStatus, isEvidence }, n): Sample => {
      atMs += afterMs;
      mcapAth = Math.max(mcapAth, mcap);
      const at = new Date(atMs);
      const knownAt = new Date(atMs + late * 60_000);
      return { id: String(n), at, mcap, mcapAth, knownAt, changesStatus, isEvidence };
    });
  });

describe('thinning', () => {
  it('keeps the last observation of each hour, the first of all, changes of the status, what decisions rest on, new all-time highs and those that made one known, and removes all others', () => {
    fc.assert(
      fc.property(observations, (all) => {
        const removed = new Set(removedOf(all));
        const hourOf = ({ at }: ThinnableObservation) => Math.floor(at.getTime() / hourMs);
        const evidence = new Set(all.filter((one) => one.isEvidence).map(({ at }) => at.getTime()));
        for (const [n, one] of all.entries()) {
          const isHigh = one.mcap > Math.max(100, ...all.slice(0, n).map(({ mcap }) => mcap));
          const isLast = !all.slice(n + 1).some((other) => hourOf(other) === hourOf(one));
          const isNamed = evidence.has(one.at.getTime());
          const isKnownFirst = !all
            .slice(0, n)
            .some((other) => other.mcapAth === one.mcapAth && Number(other.knownAt) <= Number(one.knownAt));
          const isKept = n === 0 || isLast || isHigh || isNamed || isKnownFirst || one.changesStatus;
          expect(removed.has(one.id)).toBe(!isKept);
        }
      }),
    );
  });

  it('leaves as of every instant an observation with the all-time high that was known then', () => {
    const highAt = (known: readonly Sample[], atMs: number) =>
      known.findLast(({ knownAt }) => Number(knownAt) <= atMs)?.mcapAth;
    fc.assert(
      fc.property(observations, (all) => {
        const removed = new Set(removedOf(all));
        const left = all.filter(({ id }) => !removed.has(id));
        for (const { knownAt } of all)
          expect(highAt(left, Number(knownAt))).toBe(highAt(all, Number(knownAt)));
      }),
    );
  });

  it('removes nothing more from what it has left, and the same however often it was interrupted', () => {
    fc.assert(
      fc.property(observations, fc.array(fc.boolean(), { maxLength: 60 }), (all, wasRemoved) => {
        const removed = new Set(removedOf(all));
        const left = all.filter(({ id }) => !removed.has(id));
        expect(removedOf(left)).toEqual([]);
        // A kill: only some of them were removed.
        const half = all.filter(({ id }, n) => !(removed.has(id) && wasRemoved[n] === true));
        const second = new Set(removedOf(half));
        expect(half.filter(({ id }) => !second.has(id))).toEqual(left);
      }),
    );
  });

  it('begins with a day 30 days after its end', () => {
    const day = new Date('2026-03-01T23:59:59.999Z');
    expect(thinningTime(day)).toEqual(new Date('2026-04-01T00:00:00Z'));
    expect(thinningTime(new Date('2026-03-02T00:00:00Z'))).toEqual(new Date('2026-04-02T00:00:00Z'));
    expect(thinnedBefore(new Date('2026-04-01T00:00:00Z'))).toEqual(new Date('2026-03-02T00:00:00Z'));
    expect(thinnedBefore(new Date('2026-03-31T23:59:59Z'))).toEqual(new Date('2026-03-01T00:00:00Z'));
  });
});
