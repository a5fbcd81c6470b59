import type { SignalEvent } from '@sigcast/contracts';
import { type Fate, modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { getHistory } from '../src/domain/history.ts';
import { historyRange } from '../src/domain/history-range.ts';
import { presentRevision, revisionOf } from '../src/domain/revision.ts';
import { mongoHistory } from '../src/store/mongo-history.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { observationsCollection } from '../src/store/observation-document.ts';
import { trackedCollection } from '../src/store/tracked-document.ts';
import { createdMs, signalId } from './events.ts';
import { storedObservations, storedSignal, useMongo } from './fixture.ts';
import { fatedConnection, type Generated, throwUnlessKilled } from './kills.ts';
import { lifeOf } from './lives.ts';
import { recount } from './recount.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const signals = [1, 2, 3];
const lives = fc.tuple(...signals.map(lifeOf));
const now = new Date(createdMs + 10 * 3_600_000);
/** In what order events come, which come twice, how many at once, and where the process is killed. */
const delivery = fc.record({
  order: fc.array(fc.nat(), { minLength: 200, maxLength: 200 }),
  twice: fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
  batch: fc.integer({ min: 1, max: 40 }),
  fates: fc.array(fc.constantFrom<Fate>('go on', 'go on', 'die', 'die halfway'), { maxLength: 12 }),
  /** Which events are those of a present state that a backfill has read. */
  states: fc.array(fc.nat(9), { minLength: 80, maxLength: 80 }),
});

describe('the history', () => {
  const mongo = useMongo();
  const clear = async () => {
    for (const name of [observationsCollection, trackedCollection])
      await mongo().collection(name).deleteMany({});
  };
  /** What is stored of all signals, but for the instant at which each was found to be new. */
  const stored = () =>
    Promise.all(
      signals.map(async (signal) => {
        const tracked = await storedSignal(mongo(), signalId(signal));
        return {
          observations: await storedObservations(mongo(), signalId(signal)),
          tracked: tracked && { ...tracked, due_at: tracked.due_at instanceof Date },
        };
      }),
    );

  it('each observation is recorded exactly once and the signal as of its last revision, in whatever order events come, however often, wherever the process is killed, and while a backfill runs', async () => {
    const live = async (all: readonly (readonly SignalEvent[])[], how: Generated<typeof delivery>) => {
      const events = all.flat();
      await clear();
      const plain = mongoRevisions(mongo(), () => now);
      await Promise.all(events.map((event) => plain.record(revisionOf(event))));
      const expected = await stored();

      await clear();
      const frail = mongoRevisions(fatedConnection(mongo(), how.fates), () => now);
      const queue = [...events, ...events.filter((_, n) => how.twice[n])]
        .map((event, n) => ({ event, place: how.order[n] ?? 0 }))
        .sort((one, other) => one.place - other.place)
        .map(({ event }) => event);
      const states = events.filter((_, n) => how.states[n] === 0);
      for (const { rev, data } of states) {
        await frail.recordStates([presentRevision({ rev, signal: data })]).catch(throwUnlessKilled);
      }
      while (queue.length > 0) {
        const batch = queue.splice(0, how.batch);
        const results = await Promise.allSettled(batch.map((event) => frail.record(revisionOf(event))));
        results.forEach((result, n) => {
          if (result.status === 'fulfilled') return;
          throwUnlessKilled(result.reason);
          // Never acknowledged, so delivered again.
          queue.push(...batch.slice(n, n + 1));
        });
      }
      expect(await stored()).toEqual(expected);
    };
    await fc.assert(fc.asyncProperty(lives, delivery, live), modelRuns(40));
  });

  it('the history of a signal equals a recount over all its events, over any range and by any resolution', async () => {
    const range = fc.record({
      fromMs: fc.option(fc.nat(8 * 3_600_000), { nil: undefined }),
      untilMs: fc.option(fc.nat(8 * 3_600_000), { nil: undefined }),
      resolution: fc.constantFrom('1m', '5m', '1h', '1d', undefined),
    });
    const compare = async (
      [events]: [readonly SignalEvent[]],
      { fromMs, untilMs, resolution }: Generated<typeof range>,
    ) => {
      await clear();
      const revisions = mongoRevisions(mongo(), () => now);
      await Promise.all(events.map((event) => revisions.record(revisionOf(event))));
      const from = fromMs === undefined ? undefined : new Date(createdMs + fromMs);
      const until = untilMs === undefined ? undefined : new Date(createdMs + Math.max(fromMs ?? 0, untilMs));
      const query = { from, until, resolution };
      const asked = historyRange(query, { createdAt: new Date(createdMs), now });
      const { buckets, entry, ath, status, changes } = await getHistory(mongoHistory(mongo()), {
        id: signalId(1),
        query,
        now,
      });
      expect({ buckets, entry, ath, status, changes }).toEqual(recount(events, asked));
    };
    await fc.assert(fc.asyncProperty(fc.tuple(lifeOf(1)), range, compare), modelRuns(60));
  });
});
