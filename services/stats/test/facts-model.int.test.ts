import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { periods, type StatsQuery, signalTypes } from '@sigcast/contracts';
import { openRollups } from '@sigcast/rollups';
import { type Fate, gatedConnection, Killed, type TestStack, testStack } from '@sigcast/testing';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { factOf } from '../src/domain/fact.ts';
import { getStatistics } from '../src/domain/statistics.ts';
import { type FactDocument, factRollups, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { rollupStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { openMongo } from './fixture.ts';
import { baseMs, Chance, randomHistory } from './histories.ts';
import { recount } from './recount.ts';

jest.setTimeout(300_000);

/**
 * The life of one signal is a history; those of a run are interleaved and share a database. Every run of this file
 * brings 2,000 new ones, so that it stays quick; `runs` at 10 makes it 10,000 at once.
 */
const historiesPerRun = 1_000;
const runs = 2;

describe('statistics', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('stats'));
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  /** The newest revision of every signal that was recorded, read from the facts one by one. */
  const recorded = async (): Promise<Revision[]> => {
    const facts = await connection.collection<FactDocument>(factsCollection).find().toArray();
    return facts.map(({ _id, created_at, type, status, roi, rev }) => ({
      ...{ signal: Number(_id.slice('sig_'.length)), createdAtMs: created_at.getTime() },
      ...{ type, status, roi, rev },
    }));
  };

  const compare = async (query: StatsQuery, expected: readonly Revision[], nowMs: number) => {
    const store = rollupStatistics(openRollups(connection, factRollups));
    const statistics = await getStatistics({ store, now: () => new Date(nowMs) }, query);
    expect(statistics).toEqual(recount(expected, query, nowMs));
  };

  /** Compares all figures with a recount, and those of a random type and period at a random instant. */
  const checkOne = async (chance: Chance, expected: readonly Revision[]) => {
    await compare({ period: 'all' }, expected, baseMs);
    const nowMs = chance.pick(expected.map(({ createdAtMs }) => createdAtMs)) ?? baseMs;
    const type = chance.pick([undefined, undefined, ...signalTypes]);
    await compare({ type, period: chance.pick(periods) }, expected, nowMs);
  };

  it('equal a recount at any instant, however events come and wherever consumers and folders are killed', async () => {
    const live = async (seed: number) => {
      for (const name of [factsCollection, 'rollups']) await connection.collection(name).deleteMany({});
      const facts = mongoFacts(connection, openRollups(connection, factRollups));
      const chance = new Chance(seed);
      const history = randomHistory(chance, historiesPerRun);
      // Every event at least once, some twice, none in its place.
      const queue = chance.shuffle([...history, ...history.filter(() => chance.happens(0.2))]);
      const acknowledged = new Map<number, number>();

      const check = async () => {
        const found = await recorded();
        const revs = new Map(found.map(({ signal, rev }) => [signal, rev]));
        for (const [signal, rev] of acknowledged) expect(revs.get(signal)).toBeGreaterThanOrEqual(rev);
        await checkOne(chance, found);
      };
      const deliver = async (store: typeof facts) => {
        const batch = queue.splice(0, chance.below(200));
        const results = await Promise.allSettled(
          batch.map((revision) => store.record(factOf(eventOf(revision)))),
        );
        results.forEach((result, index) => {
          const revision = batch[index] as Revision;
          if (result.status === 'rejected') {
            if (!(result.reason instanceof Killed)) throw result.reason;
            queue.push(revision); // never acknowledged, so delivered again
          } else {
            acknowledged.set(revision.signal, Math.max(revision.rev, acknowledged.get(revision.signal) ?? 0));
          }
        });
      };

      /**
       * A process that lives until it is killed between two operations. What others do and look at meanwhile happens
       * there too, one at a time, so that the facts stand still while they are compared.
       */
      const newProcess = () => {
        let dead = false;
        let turn: Promise<unknown> = Promise.resolve();
        const meanwhile = async (): Promise<Fate> => {
          if (dead) return 'die';
          if (chance.happens(0.02)) await check();
          if (chance.happens(0.06)) await deliver(facts);
          if (chance.happens(0.04)) {
            await deliver(facts);
            await openRollups(connection, factRollups).fold();
          }
          dead = chance.happens(0.02);
          return dead ? chance.pick(['die', 'die halfway']) : 'go on';
        };
        const frail = gatedConnection(connection, () => {
          const fate = turn.then(meanwhile);
          turn = fate.catch(() => undefined);
          return fate;
        });
        return {
          facts: mongoFacts(frail, openRollups(frail, factRollups)),
          rollups: openRollups(frail, factRollups),
        };
      };

      while (queue.length > 0) {
        const process = newProcess();
        const act = chance.pick([
          () => deliver(process.facts),
          () => process.rollups.fold(),
          () => process.rollups.fold(),
          () => both(process.rollups.fold(), openRollups(connection, factRollups).fold()),
          () => (chance.happens(0.1) ? process.rollups.build() : undefined),
          check,
        ]);
        await survive(async () => act());
      }

      await checkOne(chance, history);
      while (!(await openRollups(connection, factRollups).fold()));
      for (const period of periods) await compare({ period }, history, baseMs);
      for (const type of signalTypes) await compare({ type, period: 'all' }, history, baseMs);
    };
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: runs, endOnFailure: true });
  });

  it('keep the newest state when all revisions of a new signal are written at once', async () => {
    // MongoDB lets two upserts both find nothing; the one that comes second then meets an older fact. Many signals,
    // because that window is small. An engine that runs the writes of one key in turn never opens it.
    await connection.collection(factsCollection).deleteMany({});
    const replicas = [
      mongoFacts(connection, openRollups(connection, factRollups)),
      mongoFacts(connection, openRollups(connection, factRollups)),
      mongoFacts(connection, openRollups(connection, factRollups)),
    ];
    await Promise.all(
      Array.from({ length: 40 }, (_, signal) =>
        replicas.map((facts, index) => {
          const rev = index + 1;
          const state = { type: 'new', status: 'active', roi: rev, createdAtMs: baseMs } as const;
          return facts.record(factOf(eventOf({ signal, rev, ...state })));
        }),
      ).flat(),
    );
    expect((await recorded()).map(({ rev }) => rev)).toEqual(Array.from({ length: 40 }, () => 3));
  });
});

/** Runs until done or killed. */
async function survive(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

/** Waits for both, even if one fails. */
async function both(one: Promise<unknown>, other: Promise<unknown>): Promise<void> {
  await Promise.allSettled([one, other]);
  await Promise.all([one, other]);
}
