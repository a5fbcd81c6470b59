import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { periods, signalStatuses, signalTypes } from '@sigcast/contracts';
import { type TestStack, testStack } from '@sigcast/testing';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { factOf } from '../src/domain/fact.ts';
import type { FactStore } from '../src/domain/ports.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { mongoStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { openMongo } from './fixture.ts';
import { recount } from './recount.ts';

jest.setTimeout(120_000);

const hourMs = 3_600_000;
const baseMs = Date.parse('2026-06-15T12:34:56.789Z');
/** Instants that matter: anywhere in 50 days, and exactly or next to where a period ends. */
const instantMs = fc.oneof(
  fc.integer({ min: baseMs - 1_200 * hourMs, max: baseMs }),
  fc
    .tuple(fc.constantFrom(0, 24, 168, 720), fc.constantFrom(-1, 0, 1))
    .map(([hours, ms]) => baseMs - hours * hourMs + ms),
);

/** A signal's whole history. Type and creation never change; status and roi may with every revision. */
const signalHistory = fc.record({
  type: fc.constantFrom(...signalTypes),
  createdAtMs: instantMs,
  changes: fc.array(
    fc.record({
      status: fc.constantFrom(...signalStatuses),
      roi: fc.integer({ min: -10_000, max: 1_000_000_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const history = fc
  .array(signalHistory, { maxLength: 25 })
  .map((signals) =>
    signals.flatMap(({ type, createdAtMs, changes }, signal) =>
      changes.map(({ status, roi }, n): Revision => ({ signal, type, status, roi, createdAtMs, rev: n + 1 })),
    ),
  );

/** The history with where each of its events arrives: every one at least once, some again, in any order. */
const arrivals = history.chain((revisions) => {
  const indexes = revisions.map((_, index) => index);
  const again = fc.array(fc.nat({ max: Math.max(0, revisions.length - 1) }), {
    maxLength: revisions.length,
  });
  return again.chain((extra) =>
    fc
      .shuffledSubarray([...indexes, ...extra], { minLength: indexes.length + extra.length })
      .map((order) => ({ revisions, order })),
  );
});

describe('statistics', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let facts: FactStore;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();

    connection = await openMongo(stack, resources, stack.database('stats'));
    facts = await mongoFacts(connection);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  it('equal a recount for every type and period, whatever order the events came in and how often', async () => {
    const store = mongoStatistics(connection);
    await fc.assert(
      fc.asyncProperty(arrivals, instantMs, async ({ revisions, order }, laterMs) => {
        await connection.collection(factsCollection).deleteMany({});
        const events = order.flatMap((index) => revisions[index] ?? []).map(eventOf);
        await Promise.all(events.map((event) => facts.record(factOf(event))));
        for (const nowMs of [baseMs, laterMs]) {
          for (const type of [undefined, ...signalTypes]) {
            for (const period of periods) {
              const query = { type, period };
              const statistics = await getStatistics({ store, now: () => new Date(nowMs) }, query);
              expect(statistics).toEqual(recount(revisions, query, nowMs));
            }
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('keep the newest state when all revisions of a new signal are written at once', async () => {
    // MongoDB lets two upserts both find nothing; the one that comes second then meets an older fact. Many signals,
    // because that window is small. An engine that runs the writes of one key in turn never opens it.
    const revisions = Array.from({ length: 40 }, (_, signal) =>
      [1, 2, 3].map(
        (rev): Revision => ({ signal, type: 'new', status: 'active', roi: rev, createdAtMs: baseMs, rev }),
      ),
    ).flat();
    await connection.collection(factsCollection).deleteMany({});
    await Promise.all(revisions.map((revision) => facts.record(factOf(eventOf(revision)))));
    const revs = await connection.collection(factsCollection).distinct('rev');
    expect(revs).toEqual([3]);
  });
});
