import type { SignalEvent } from '@sigcast/contracts';
import { gatedConnection, Killed, modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { getHistory } from '../src/domain/history.ts';
import { revisionOf } from '../src/domain/revision.ts';
import { Thinning, thinnedBefore } from '../src/domain/thinning.ts';
import { mongoHistory } from '../src/store/mongo-history.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { observationsCollection } from '../src/store/observation-document.ts';
import { thinObservations } from '../src/store/thin-observations.ts';
import { trackedCollection } from '../src/store/tracked-document.ts';
import { createdMs, entry, eventOf, signalId } from './events.ts';
import { storedObservations, storedSignal, useMongo } from './fixture.ts';
import { lifeOf } from './lives.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** When the day of `createdMs` is thinned. */
const thinnedAt = new Date('2026-04-01T00:00:00Z');

describe('thinning', () => {
  const mongo = useMongo();
  beforeEach(async () => {
    for (const name of [observationsCollection, trackedCollection])
      await mongo().collection(name).deleteMany({});
  });
  const record = async (events: readonly SignalEvent[]) => {
    const revisions = mongoRevisions(mongo());
    await Promise.all(events.map((event) => revisions.record(revisionOf(event))));
  };
  const rows = async (signal = 1) =>
    (await storedObservations(mongo(), signalId(signal))).map(({ _id }) => _id);
  const thin = (nowMs: number) => thinObservations(mongo(), () => new Date(nowMs));
  /** An observation every ten minutes. */
  const steady = (signal: number, days: number) =>
    Array.from({ length: days * 144 }, (_, n) =>
      eventOf({ signal, rev: n + 1, atMs: createdMs + n * 600_000, mcap: entry.mcap }),
    );

  it('leaves all observations of the last 30 days, and the last one of each hour before them', async () => {
    await record(steady(1, 3));
    expect(await thin(thinnedAt.getTime() - 1)).toEqual({ signals: 0, removed: 0 });
    // The first day has 12 hours, and its first observation stays too.
    expect(await thin(thinnedAt.getTime())).toEqual({ signals: 1, removed: 72 - 12 - 1 });
    expect(await storedSignal(mongo(), signalId(1))).toMatchObject({
      thin_at: new Date(thinnedAt.getTime() + dayMs),
    });
    expect(await thin(thinnedAt.getTime() + dayMs - 1)).toEqual({ signals: 0, removed: 0 });
    expect(await thin(thinnedAt.getTime() + 5 * dayMs)).toEqual({ signals: 1, removed: 360 - 60 });
    expect(await rows()).toHaveLength(72 + 1);
    expect(await storedSignal(mongo(), signalId(1))).not.toHaveProperty('thin_at');
    await record([eventOf({ signal: 1, rev: 900, atMs: createdMs + 9 * dayMs, mcap: 1 })]);
    expect(await storedSignal(mongo(), signalId(1))).toMatchObject({
      thin_at: new Date('2026-04-10T00:00:00Z'),
    });
  });

  it('is due for the oldest observation, in whatever order observations come', async () => {
    const [first, last] = [1, 2].map((rev) =>
      eventOf({ signal: 1, rev, atMs: createdMs + (rev - 1) * 9 * dayMs, mcap: 1 }),
    );
    if (!first || !last) throw new Error('there are two');
    const due = async () => (await storedSignal(mongo(), signalId(1)))?.thin_at;
    await record([last]);
    expect(await due()).toEqual(new Date(thinnedAt.getTime() + 9 * dayMs));
    for (const event of [first, last]) {
      await record([event]);
      expect(await due()).toEqual(thinnedAt);
    }
  });

  it('never removes the entry, a change of the status, what a decision rests on or the all-time high, whatever a signal lives through, and can be repeated and killed', async () => {
    const live = async (events: readonly SignalEvent[], kills: readonly boolean[]) => {
      for (const name of [observationsCollection, trackedCollection]) {
        await mongo().collection(name).deleteMany({});
      }
      await record(events);
      const history = mongoHistory(mongo());
      const now = new Date(thinnedAt.getTime() + 2 * dayMs);
      const query = { resolution: '1d' } as const;
      const read = () => getHistory(history, { id: signalId(1), query, now });
      const before = await read();
      const stored = await storedObservations(mongo(), signalId(1));
      const evidence = events.flatMap(({ change }) => change?.evidence?.observations ?? []);
      const thinning = new Thinning(
        entry.mcap,
        evidence.map((at) => new Date(at)),
      );
      const removed = new Set(
        stored.flatMap(({ _id: id, at, mcap, mcap_ath: mcapAth, known_at: knownAt, status }) =>
          at < thinnedBefore(now)
            ? (thinning.next({ id, at, mcap, mcapAth, knownAt, changesStatus: status !== undefined }) ?? [])
            : [],
        ),
      );
      let clockMs = now.getTime();
      const fates = [...kills];
      const frail = gatedConnection(mongo(), async () => (fates.shift() === true ? 'die' : 'go on'));
      for (let done = false; !done; ) {
        try {
          done = (await thinObservations(frail, () => new Date(clockMs))).signals === 0;
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          clockMs += hourMs; // after the lease
        }
      }
      expect(await rows()).toEqual(stored.map(({ _id }) => _id).filter((id) => !removed.has(id)));
      const left = (await storedObservations(mongo(), signalId(1))).map(({ at }) => at.toISOString());
      expect(left).toEqual(expect.arrayContaining(evidence));
      const after = await read();
      expect(after).toEqual({ ...before, buckets: after.buckets });
      expect(await storedSignal(mongo(), signalId(1))).not.toHaveProperty('thin_at');
    };
    await fc.assert(
      fc.asyncProperty(lifeOf(1), fc.array(fc.boolean(), { maxLength: 6 }), live),
      modelRuns(40),
    );
  });

  it('is done once while several processes do it, and stays due where an event arrives meanwhile', async () => {
    for (let signal = 1; signal <= 8; signal++) await record(steady(signal, 1));
    const now = () => new Date(thinnedAt.getTime() + 3 * dayMs);
    const done = await Promise.all([1, 2, 3].map(() => thinObservations(mongo(), now)));
    expect(done.reduce((sum, { signals }) => sum + signals, 0)).toBe(8);

    await record(steady(1, 2));
    let late: readonly SignalEvent[] = [
      eventOf({ signal: 1, rev: 700, atMs: createdMs + 40 * dayMs, mcap: 1 }),
    ];
    const busy = gatedConnection(mongo(), async (moment, operation) => {
      // An observation that is recorded after this process has read them all.
      if (moment === 'after' && operation === `${observationsCollection}.deleteMany`) {
        const events = late;
        late = [];
        if (events.length > 0) await record(events);
      }
      return 'go on';
    });
    expect(await thinObservations(busy, now)).toMatchObject({ signals: 1 });
    expect(await storedSignal(mongo(), signalId(1))).toMatchObject({ rev: 700, thin_at: expect.any(Date) });
  });
});
