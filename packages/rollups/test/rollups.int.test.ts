import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SignalStatus, type SignalType, signalStatuses, signalTypes } from '@sigcast/contracts';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { eventually, gatedConnection, Killed, type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import {
  type Folding,
  type Mark,
  openRollups,
  type RollupSource,
  type Rollups,
  startFolding,
  uncountedIndex,
} from '../src/index.ts';

type Fact = {
  _id: string;
  type: SignalType;
  status: SignalStatus;
  roi: number;
  created_at: Date;
  uncounted?: Mark;
};

const source: RollupSource = {
  collection: 'facts',
  index: 'created',
  measures: [{ sum: 1 }, { sum: '$roi' }, { max: '$roi' }],
};
const startMs = Date.parse('2026-06-15T12:00:00Z');
const dayMs = 86_400_000;

/** Facts of two months: a few every day, and a thousand within five seconds. */
const facts = Array.from({ length: 1_600 }, (_, n): Fact => {
  const createdAtMs = n < 600 ? startMs - n * (dayMs / 10) : startMs + (n - 600) * 5;
  return {
    _id: `fact_${n}`,
    type: signalTypes[n % signalTypes.length] ?? 'new',
    status: signalStatuses[n % 3] ?? 'active',
    roi: ((n * 7_919) % 5_000) - 2_500,
    created_at: new Date(createdAtMs),
  };
});

describe('rollups', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    connection = await connectMongo(
      { uri: stack.mongodbUri, database: stack.database('rollups') },
      silentLogger(),
      resources,
    );
    const byCreation = { name: source.index, key: { created_at: 1 } };
    await ensureIndexes(connection, source.collection, [byCreation, uncountedIndex]);
  });
  beforeEach(async () => {
    for (const name of [source.collection, 'rollups']) await connection.collection(name).deleteMany({});
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const collection = () => connection.collection<Fact>(source.collection);
  const buckets = async (level: string) =>
    connection.collection<{ _id: string }>('rollups').countDocuments({ _id: { $regex: `^${level}:\\d` } });
  const marked = () => collection().countDocuments({ uncounted: { $exists: true } });
  const store = (items: readonly Fact[], rollups: Rollups) =>
    collection().insertMany(items.map((fact) => ({ ...fact, uncounted: rollups.mark(1) })));

  const expectExact = async (rollups: Rollups, expected: readonly Fact[], after?: Date, until?: Date) => {
    const chosen = expected.filter(
      ({ created_at }) => (!after || created_at > after) && (!until || created_at <= until),
    );
    const groups = Map.groupBy(chosen, ({ type, status }) => `${type} ${status}`);
    const recounted = [...groups].map(([key, group]) => {
      const rois = group.map(({ roi }) => roi);
      return [key, [rois.length, rois.reduce((a, b) => a + b, 0), Math.max(...rois)]];
    });
    const entries = await rollups.read({ after, until });
    expect(entries.map(({ type, status, values }) => [`${type} ${status}`, values]).sort()).toEqual(
      recounted.sort(),
    );
  };

  /** Whole, and cut where cells of every width are cut. */
  const expectAllExact = async (rollups: Rollups, expected: readonly Fact[]) => {
    await expectExact(rollups, expected);
    for (const ms of [-40.3 * dayMs, -dayMs, -1, 0, 1, 1_500, 4_995]) {
      await expectExact(rollups, expected, new Date(startMs + ms));
      await expectExact(rollups, expected, undefined, new Date(startMs + ms));
      await expectExact(rollups, expected, new Date(startMs - 3 * dayMs), new Date(startMs + ms));
    }
  };

  it('is exact, and catches up, with more changes waiting than are worth sorting out', async () => {
    const rollups = openRollups(connection, source);
    await store(facts, rollups);
    while (!(await rollups.fold()));
    const more = Array.from({ length: 5_500 }, (_, n): Fact => {
      const fact = facts[n % facts.length] as Fact;
      return { ...fact, _id: `more_${n}`, created_at: new Date(fact.created_at.getTime() + n) };
    });
    await store(more, rollups);
    const all = [...facts, ...more];
    const after = new Date(startMs - 3 * dayMs);
    await expectExact(rollups, all);
    await expectExact(rollups, all, after, new Date(startMs + 1_234));
    while (!(await rollups.fold()));
    expect(await marked()).toBe(0);
    await expectExact(rollups, all, after);
  });

  it('are exact for what was there before them, without buckets, while they are built and after', async () => {
    await collection().insertMany(facts);
    const rollups = openRollups(connection, source);
    await expectAllExact(rollups, facts);
    await rollups.build(AbortSignal.abort());
    expect(await buckets('360d')).toBe(0);
    await rollups.build();
    expect(await buckets('1d')).toBe(1);
    await expectAllExact(rollups, facts);
  });

  it('have fine buckets where facts are dense, and there alone', async () => {
    const rollups = openRollups(connection, source);
    await store(facts, rollups);
    while (!(await rollups.fold()));
    expect(await marked()).toBe(0);
    for (const level of ['1d', '1h', '5m', '10s']) expect([level, await buckets(level)]).toEqual([level, 1]);
    await expectAllExact(rollups, facts);
  });

  it('are built again after they were deleted', async () => {
    const rollups = openRollups(connection, source);
    await store(facts, rollups);
    while (!(await rollups.fold()));
    await connection.collection('rollups').deleteMany({});
    await expectAllExact(rollups, facts);
    await rollups.build();
    expect(await buckets('10s')).toBe(1);
    await expectAllExact(rollups, facts);
  });

  it('stay exact when another process builds them between any two steps of a rebuild', async () => {
    const some = facts.slice(590, 850);
    await collection().insertMany(some);
    for (let builtAt = 1; ; builtAt++) {
      const rollups = openRollups(connection, source);
      await rollups.build();
      let moment = 0;
      const rebuilding = gatedConnection(connection, async () => {
        moment++;
        if (moment === builtAt) await rollups.build();
        return 'go on';
      });
      await openRollups(rebuilding, source).rebuild(AbortSignal.abort());
      await expectExact(openRollups(connection, source), some);
      if (moment < builtAt) return;
    }
  });

  it('stay exact when they are cleared while another process builds them', async () => {
    const some = facts.slice(590, 850);
    for (let clearedAt = 1; ; clearedAt++) {
      for (const name of [source.collection, 'rollups']) await connection.collection(name).deleteMany({});
      await collection().insertMany(some);
      let moment = 0;
      const building = gatedConnection(connection, async () => {
        moment++;
        // Of a rebuild that is broken off at once.
        if (moment === clearedAt) await openRollups(connection, source).rebuild(AbortSignal.abort());
        return 'go on';
      });
      await openRollups(building, source).build();
      await expectExact(openRollups(connection, source), some);
      await expectExact(openRollups(connection, source), some, undefined, new Date(startMs + 1_500));
      if (moment < clearedAt) return;
    }
  });

  it('stay exact while several replicas fold and build at once and facts arrive', async () => {
    const replicas = [1, 2, 3].map(() => openRollups(connection, source));
    const [one] = replicas as [Rollups, ...Rollups[]];
    let written: Fact[] = [];
    for (let from = 0; from < facts.length; from += 400) {
      const batch = facts.slice(from, from + 400);
      await Promise.all([store(batch, one), ...replicas.map((each) => each.fold()), one.build()]);
      written = [...written, ...batch];
      for (const each of replicas) await expectExact(each, written);
    }
    await eventually(async () => {
      await Promise.all(replicas.map((each) => each.fold()));
      expect(await marked()).toBe(0);
    });
    await expectAllExact(one, facts);
  });

  it('never go back to what a replica counted that was held up, at whichever operation', async () => {
    for (let heldAt = 1; ; heldAt++) {
      await collection().deleteMany({});
      const rollups = openRollups(connection, source);
      await store(facts.slice(0, 5), rollups);
      await rollups.fold();
      await store(facts.slice(5, 10), rollups);
      let moment = 0;
      const held = gatedConnection(connection, async () => {
        moment++;
        if (moment === heldAt) {
          await store(facts.slice(10, 15), rollups);
          await rollups.fold();
        }
        return 'go on';
      });
      await openRollups(held, source).fold();
      await expectExact(rollups, facts.slice(0, moment < heldAt ? 10 : 15));
      if (moment < heldAt) return;
    }
  });

  it('are exact for a reader who remembers others, whatever is done to them between any two of its steps', async () => {
    const rollups = openRollups(connection, source);
    const some = facts.slice(0, 30);
    const doings = {
      fold: async () => void (await rollups.fold()),
      clear: () => rollups.rebuild(AbortSignal.abort()),
      rebuild: () => rollups.rebuild(),
    };
    const after = new Date(startMs - 1.6 * dayMs);
    for (const [name, done] of Object.entries(doings)) {
      for (const remembers of [false, true]) {
        for (let at = 1, moment = 0; moment >= at - 1; at++) {
          await collection().deleteMany({});
          await store(some.slice(10), rollups);
          while (!(await rollups.fold()));
          await rollups.rebuild();
          let isReading = false;
          moment = 0;
          const gated = gatedConnection(connection, async () => {
            if (isReading && ++moment === at) await done();
            return 'go on';
          });
          const reader = openRollups(gated, source);
          if (remembers) await reader.read({ after });
          await store(some.slice(0, 10), rollups);
          isReading = true;
          await Promise.all([
            expectExact(reader, some, after),
            expectExact(reader, some, undefined, new Date(startMs - dayMs)),
            expectExact(reader, some),
          ]).catch((error: unknown) => {
            throw new Error(`${name} before step ${at}${remembers ? ' of one that remembers' : ''}`, {
              cause: error,
            });
          });
          isReading = false;
          await expectExact(reader, some);
        }
      }
    }
  });

  it('are exact for who remembers others, at whichever operation somebody is who folds or rebuilds', async () => {
    const rollups = openRollups(connection, source);
    const some = facts.slice(590, 850);
    for (const work of [(held: Rollups) => held.fold(), (held: Rollups) => held.rebuild()]) {
      await collection().deleteMany({});
      await store(some.slice(0, -20), rollups);
      while (!(await rollups.fold()));
      await rollups.rebuild();
      const reader = openRollups(connection, source);
      await reader.read({});
      await store(some.slice(-20), rollups);
      const held = gatedConnection(connection, async () => {
        await expectExact(reader, some);
        await expectExact(reader, some, new Date(startMs - 3 * dayMs), new Date(startMs + 1_234));
        return 'go on';
      });
      await work(openRollups(held, source));
      await expectExact(reader, some);
    }
  });

  it('are exact for who remembers the facts of a cell, when one of them changes there', async () => {
    const rollups = openRollups(connection, source);
    const [some, more] = [facts.slice(0, 30), { ...(facts[14] as Fact), _id: 'more' }];
    const after = new Date(startMs - 1.45 * dayMs);
    await store(some, rollups);
    while (!(await rollups.fold()));
    await rollups.build();
    const reader = openRollups(connection, source);
    for (let time = 0; time < 2; time++) await expectExact(reader, some, after);
    const lost = { ...(some[14] as Fact), roi: -9_999, uncounted: rollups.mark(2) };
    await collection().replaceOne({ _id: lost._id }, lost);
    const changed = some.with(14, lost);
    for (let time = 0; time < 2; time++) await expectExact(reader, changed, after);
    await store([more], rollups);
    await expectExact(reader, [...changed, more], after);
    while (!(await rollups.fold()));
    for (let time = 0; time < 2; time++) await expectExact(reader, [...changed, more], after);
  });

  it('are read anew by who remembers others, once they are built and once they are cleared', async () => {
    const [gone, ...left] = facts as [Fact, ...Fact[]];
    const rollups = openRollups(connection, source);
    const reader = openRollups(connection, source);
    await rollups.rebuild(AbortSignal.abort());
    await collection().insertMany(facts);
    await expectExact(reader, facts);
    await rollups.build();
    // Without a mark, so that buckets still have it.
    await collection().deleteOne({ _id: gone._id });
    await expectExact(reader, facts);
    await rollups.rebuild(AbortSignal.abort());
    await expectExact(reader, left);
    await rollups.build();
    await expectExact(reader, left);
  });

  it('cost one trip, for what changed, while nothing changes, wherever the span cuts cells', async () => {
    const rollups = openRollups(connection, source);
    await store(facts, rollups);
    while (!(await rollups.fold()));
    await rollups.build();
    let operations = 0;
    const counted = gatedConnection(connection, async (when) => {
      if (when === 'before') operations++;
      return 'go on';
    });
    const reader = openRollups(counted, source);
    const spent = async (after?: Date, until?: Date) => {
      const before = operations;
      await expectExact(reader, facts, after, until);
      return operations - before;
    };
    await spent();
    expect(await spent()).toBe(1);
    const later = new Date(startMs + dayMs);
    const lastDays = new Date(startMs - 3 * dayMs + 1_234);
    const lastMonth = new Date(startMs - 30 * dayMs + 1_234);
    for (const after of [lastDays, lastMonth]) await spent(after, later);
    for (const after of [lastDays, lastMonth]) expect(await spent(after, later)).toBe(1);
    // Other parts of the same cells.
    for (const after of [lastDays, lastMonth]) {
      expect(await spent(new Date(after.getTime() + 60_000), later)).toBe(1);
    }
  });

  it('are used as far as they are built', async () => {
    const [gone] = facts as [Fact, ...Fact[]];
    const rollups = openRollups(connection, source);
    await rollups.rebuild(AbortSignal.abort());
    await collection().insertMany(facts);
    await expectExact(rollups, facts);
    const stopping = new AbortController();
    const stopped = gatedConnection(connection, async () => {
      if ((await connection.collection('rollups').countDocuments({ counted: true })) > 0) stopping.abort();
      return 'go on';
    });
    await openRollups(stopped, source).build(stopping.signal);
    expect(await buckets('1d')).toBe(0);
    // Without a mark, so that the buckets still have it.
    await collection().deleteOne({ _id: gone._id });
    await expectExact(rollups, facts);
  });

  it('count what was removed and came back while a folder was held up, at whichever operation', async () => {
    for (let heldAt = 1; ; heldAt++) {
      await collection().deleteMany({});
      const rollups = openRollups(connection, source);
      const [fact, ...others] = facts.slice(0, 5) as [Fact, ...Fact[]];
      await store([fact, ...others], rollups);
      const other = { ...fact, roi: fact.roi + 1 };
      let moment = 0;
      const held = gatedConnection(connection, async () => {
        moment++;
        if (moment === heldAt) {
          await collection().deleteOne({ _id: fact._id });
          const later = new Date(Date.now() + 1);
          await collection().insertOne({ ...other, uncounted: { at: later, rev: 1 } });
        }
        return 'go on';
      });
      await openRollups(held, source).fold();
      await expectExact(rollups, [moment < heldAt ? fact : other, ...others]);
      if (moment < heldAt) return;
    }
  });

  it('of an older generation count nothing, though nobody came to remove them', async () => {
    const rollups = openRollups(connection, source);
    await store(facts, rollups);
    while (!(await rollups.fold()));
    expect(await buckets('10s')).toBe(1);
    const left = facts.slice(0, 700);
    await collection().deleteMany({ _id: { $in: facts.slice(700).map(({ _id }) => _id) } });
    const frail = gatedConnection(connection, async (when) => (when === 'after' ? 'die' : 'go on'));
    await expect(openRollups(frail, source).rebuild()).rejects.toThrow(Killed);
    await rollups.build();
    expect(await buckets('10s')).toBe(1);
    await expectAllExact(rollups, left);
  });

  it('never go back to what a folder counted before they were rebuilt, wherever it was held up', async () => {
    const [gone, ...left] = facts.slice(0, 8) as [Fact, ...Fact[]];
    for (let heldAt = 1; ; heldAt++) {
      await collection().deleteMany({});
      await connection.collection('rollups').deleteMany({});
      const rollups = openRollups(connection, source);
      await store([gone, ...left.slice(0, 4)], rollups);
      await rollups.fold();
      await store(left.slice(4), rollups);
      let moment = 0;
      const held = gatedConnection(connection, async () => {
        moment++;
        if (moment === heldAt) {
          // Without a mark: that is what a rebuild is for.
          await collection().deleteOne({ _id: gone._id });
          await rollups.rebuild();
        }
        return 'go on';
      });
      await openRollups(held, source).fold();
      await expectExact(rollups, moment < heldAt ? [gone, ...left] : left);
      if (moment < heldAt) return;
    }
  });

  it('are exact, and built by whoever folds, when a rebuild is killed, at whichever operation', async () => {
    const sparse = facts.slice(0, 600).filter((_, n) => n % 100 === 0);
    const older: Fact = { ...(facts[0] as Fact), _id: 'older', created_at: new Date('2019-01-01') };
    await collection().insertMany(sparse);
    await openRollups(connection, source).build();
    const all = await buckets('360d');
    for (let killedAt = 1; ; killedAt++) {
      let moment = 0;
      const frail = gatedConnection(connection, async () => (++moment === killedAt ? 'die' : 'go on'));
      const rebuilding = openRollups(frail, source).rebuild();
      const killed = await rebuilding.then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return true;
        },
      );
      if (!killed) return;
      const rollups = openRollups(connection, source);
      // Before all buckets, and in none.
      await store([older], rollups);
      await expectExact(rollups, [...sparse, older]);
      await collection().deleteOne({ _id: older._id });
      await rollups.build();
      expect(await buckets('360d')).toBe(all);
      await expectExact(rollups, sparse);
    }
  });

  it('find a mark that was stored long after it was made', async () => {
    let nowMs = startMs;
    const rollups = openRollups(connection, source, () => new Date(nowMs));
    await rollups.fold();
    nowMs += 60_000;
    await rollups.fold();
    const [fact] = facts as [Fact, ...Fact[]];
    await collection().insertOne({ ...fact, uncounted: { at: new Date(startMs), rev: 1 } });
    nowMs += 30_000;
    await rollups.fold();
    expect(await marked()).toBe(0);
    await expectExact(rollups, [fact]);
  });

  it('are kept up with changes until closed', async () => {
    const rollups = openRollups(connection, source);
    const folding = startFolding(rollups, silentLogger());
    await store(facts.slice(0, 50), rollups);
    await eventually(async () => expect(await marked()).toBe(0));
    await folding.close();
    await store(facts.slice(50, 60), rollups);
    await expectExact(rollups, facts.slice(0, 60));
  });

  it('are caught up with everything written before, at the word of who keeps them up', async () => {
    const rollups = openRollups(connection, source);
    await using folding = disposable(startFolding(rollups, silentLogger()));
    for (let from = 0; from < facts.length; from += 400) {
      await store(facts.slice(from, from + 400), rollups);
      await folding.caughtUp();
      expect(await marked()).toBe(0);
    }
  });

  it('keep nobody waiting who can’t be kept up, or are no longer', async () => {
    const broken = { ...openRollups(connection, source), fold: () => Promise.reject(new Error('no store')) };
    const folding = startFolding(broken, silentLogger());
    await folding.caughtUp();
    const asked = folding.caughtUp();
    await folding.close();
    await asked;
    await folding.caughtUp();
  });
});

function disposable(folding: Folding): Folding & AsyncDisposable {
  return { ...folding, [Symbol.asyncDispose]: () => folding.close() };
}
