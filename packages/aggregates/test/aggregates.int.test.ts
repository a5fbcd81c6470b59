import { type SignalType, signalStatuses } from '@sigcast/contracts';
import { seededRandom, silentLogger } from '@sigcast/runtime';
import { eventually, type Fate, gatedConnection, Killed, modelRuns } from '@sigcast/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { keepRefreshing, openAggregates } from '../src/index.ts';
import { cells, dayMs, type Fact, facts, log, openFixture, source, startMs } from './fixture.ts';

// Takes some 40 s: each test stores and counts a thousand facts anew, two of them for each operation at which a process ends.
const { clear, change, collection, connection, expectExact, few, insert, open, ...fixture } =
  await openFixture('aggregates');
const { plain, recounted, refreshAll, spans, stored } = fixture;

describe('aggregates', () => {
  beforeEach(clear);
  afterAll(() => fixture.resources.disposeAsync());

  it('aggregates count documents that were there before them, once they are built', async () => {
    await collection().insertMany(facts);
    await expectExact(open());
  });

  it.each([['hour', 3_600_000] as const, ['day', dayMs] as const])(
    'the figures of each %s equal a recount, also of one that is partly in the period, while documents change',
    async (_name, intervalMs) => {
      await insert(facts);
      const aggregates = open();
      await refreshAll(aggregates);
      for (const fields of [{}, { roi: -9_999 }, { roi: 9_999 }]) {
        for (const id of ['fact_3', 'fact_599', 'fact_603', 'fact_900']) await change(id, fields);
        await refreshAll(aggregates);
        const all = await stored();
        for (const [after, until] of spans) {
          const { series } = await aggregates.read(() => ({ after, until }), { series: { intervalMs } });
          const startOf = ({ created_at }: Fact) =>
            created_at.getTime() - (created_at.getTime() % intervalMs);
          const byInterval = Map.groupBy(all, startOf);
          const expected = new Map(
            [...byInterval].map(([start, group]) => [start, recounted(group, after, until)]),
          );
          const starts = [...new Set([...series.keys(), ...byInterval.keys()])];
          const none = new Map<SignalType, number[]>();
          expect(starts.map((start) => [start, plain(series.get(start) ?? none)])).toEqual(
            starts.map((start) => [start, expected.get(start) ?? []]),
          );
        }
      }
    },
  );

  it('cells are small where documents are dense, and whole hours elsewhere', async () => {
    await insert(facts);
    const aggregates = open();
    await refreshAll(aggregates);
    await expectExact(aggregates);
    const batches = await connection.collection(log).find().toArray();
    const made = batches.flatMap(
      ({ replaced }) => replaced as { cells: { fromMs: number; toMs: number }[] }[],
    );
    const widths = made.flatMap((each) => each.cells.map(({ fromMs, toMs }) => toMs - fromMs));
    expect(Math.min(...widths)).toBe(1);
    expect(Math.max(...widths)).toBeLessThanOrEqual(3_600_000);
  });

  it('a maximum stays exact when it falls, moves to another document and rises again', async () => {
    await insert(facts.slice(0, 700));
    const aggregates = open();
    for (const roi of [9_000, -9_000, 8_000, 8_000, -1]) {
      for (const id of ['fact_1', 'fact_603', 'fact_650']) {
        await change(id, { roi });
        await refreshAll(aggregates);
      }
      await expectExact(aggregates, few);
    }
  });

  it('figures stay exact while documents change, several processes refresh and new ones start', async () => {
    await insert(facts);
    const lasting = [open(), open(), open()];
    const random = seededRandom(7);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let round = 0; round < 9; round++) {
      await Promise.all([
        ...lasting.map((each) => each.refresh()),
        ...Array.from({ length: 60 }, () =>
          change(`fact_${below(facts.length)}`, {
            roi: below(9_000) - 4_500,
            status: signalStatuses[below(4)] ?? 'active',
          }),
        ),
      ]);
      await expectExact(round % 3 === 0 ? open() : (lasting[round % 3] ?? open()), few);
    }
    await expectExact(open());
  });

  /** A few days, and a dense hour that is divided. */
  const small = facts.filter((_, n) => n < 20 || (n >= 600 && n < 1_200));

  const { numRuns, seed } = modelRuns(4);
  /** At full size each operation, and each fourth otherwise. */
  const step = 4 / numRuns;

  it.each(['refresh', 'rebuild'] as const)(
    `figures stay exact in all other processes when one is killed, or held up, at any operation of a %s (seed ${seed})`,
    async (what) => {
      for (let killedAt = seed % step, isDone = false; !isDone; killedAt += step) {
        await clear();
        await insert(small);
        const others = open();
        await refreshAll(others);
        for (const n of [3, 700, 701, 1_199]) await change(`fact_${n}`, { roi: n, status: 'winner' });
        let operation = 0;
        const gate = async (): Promise<Fate> => {
          if (operation++ !== killedAt) return 'go on';
          // Other processes go on meanwhile. Then this one is killed, or goes on.
          for (const roi of [-5_000, killedAt]) {
            await change('fact_700', { roi });
            await refreshAll(others);
          }
          await expectExact(others, few);
          return Math.floor((seed + killedAt) / step) % 2 === 0 ? 'die' : 'go on';
        };
        const frail = open(gatedConnection(connection, gate));
        try {
          await frail[what]();
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
        isDone = operation <= killedAt;
        await expectExact(others, few);
        await expectExact(open(), few);
      }
    },
    // Some hundred rounds of work without any waiting at full size: ten times as long on a busy machine.
    240_000,
  );

  it('a new process begins with the last checkpoint, which removes batches that nobody needs', async () => {
    const clock = { ms: Date.now() };
    const aggregates = openAggregates(connection, source, () => new Date(clock.ms));
    await insert(facts.slice(0, 1_000));
    await refreshAll(aggregates);
    await eventually(async () => {
      await refreshAll(aggregates);
      expect(await connection.collection(cells).countDocuments({ hour: { $exists: true } })).toBeGreaterThan(
        9,
      );
    });
    await insert(facts.slice(1_000));
    await refreshAll(aggregates);
    await expectExact(open());
    // As a later checkpoint does.
    const { checkpoint } = (await connection
      .collection(cells)
      .findOne({ checkpoint: { $exists: true } })) as unknown as {
      checkpoint: { number: number };
    };
    await connection.collection<{ _id: number }>(log).deleteMany({ _id: { $lte: checkpoint.number } });
    await expectExact(open());
  });

  it('all documents are counted again when the log was lost', async () => {
    await insert(facts);
    const before = open();
    await refreshAll(before);
    await connection.collection<{ _id: number }>(log).deleteMany({ _id: { $lte: 1 } });
    await change('fact_5', { roi: 4_999 });
    await expectExact(open());
    await expectExact(before);
  });

  it('all documents are counted again when an hour did not fit into a checkpoint', async () => {
    await insert(facts.slice(0, 50));
    const aggregates = open();
    await aggregates.build();
    const hours = connection.collection(cells);
    await eventually(async () => {
      await refreshAll(aggregates);
      expect(await hours.updateOne({ hour: { $exists: true } }, { $set: { cells: null } })).toMatchObject({
        matchedCount: 1,
      });
    });
    await expectExact(open(), few);
  });

  it('a document that was removed and inserted again is counted as it is', async () => {
    await insert(facts.slice(0, 50));
    const aggregates = open();
    await refreshAll(aggregates);
    await collection().deleteOne({ _id: 'fact_7' });
    await insert([{ ...(facts[7] as Fact), roi: 4_242, status: 'rugged' }]);
    await collection().deleteOne({ _id: 'fact_8' });
    await aggregates.refresh();
    await aggregates.rebuild();
    await expectExact(aggregates);
    await expectExact(open());
  });

  it('audits correct figures of documents that were changed without a dirty flag', async () => {
    await insert(facts);
    const aggregates = open();
    await refreshAll(aggregates);
    await collection().updateOne({ _id: 'fact_900' }, { $set: { roi: 9_999 }, $inc: { rev: 1 } });
    await collection().insertOne({ ...(facts[0] as Fact), _id: 'fact_unnoticed' });
    const audits: boolean[] = [];
    for (let n = 0; n < 4; n++) audits.push(await aggregates.audit());
    expect(audits.filter((wasRight) => !wasRight).length).toBeGreaterThan(0);
    await expectExact(aggregates);
    expect([await aggregates.audit(), await aggregates.audit()]).toEqual([true, true]);
  });

  it('a write of a process whose clock is a minute behind counts at once', async () => {
    const aggregates = open();
    await aggregates.readNow({});
    const [fact] = facts as [Fact];
    await collection().insertOne({ ...fact, dirty: { at: new Date(Date.now() - 60_000), before: {} } });
    expect([...(await aggregates.readNow({}))]).toEqual(recounted([fact]));
  });

  it('figures are exact for the instant they name, at most a second ago, also when nobody else refreshes', async () => {
    let aheadMs = 0;
    const now = () => new Date(Date.now() + aheadMs);
    const aggregates = openAggregates(connection, source, now);
    for (const fact of facts.slice(0, 3)) {
      await insert([fact]);
      // On a busy machine a refresh may take longer than a read waits for it.
      const figures = await eventually(async () => {
        aheadMs += 1_100;
        const askedAt = now().getTime();
        const { asOf, figures: read } = await aggregates.read(() => ({}));
        expect(asOf.getTime()).toBeGreaterThanOrEqual(askedAt - 1_000);
        expect(asOf.getTime()).toBeLessThanOrEqual(now().getTime());
        return read;
      });
      const facts = [...figures.values()].reduce((sum, [count = 0]) => sum + count, 0);
      expect(await collection().countDocuments()).toBeGreaterThanOrEqual(facts);
      await eventually(async () => {
        const { figures: later } = await aggregates.read(() => ({}));
        expect(plain(later)).toEqual(recounted(await stored()));
      });
    }
  });

  it('figures that can not be refreshed in time are answered as they are, which their instant tells, and not once they are older than a minute', async () => {
    await insert(facts.slice(0, 5));
    const counted = await stored();
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isSlow = false;
    const slow = gatedConnection(connection, async (moment) => {
      if (moment === 'before' && isSlow) await held;
      return 'go on';
    });
    let aheadMs = 0;
    const now = () => new Date(Date.now() + aheadMs);
    const aggregates = openAggregates(slow, source, now);
    await refreshAll(aggregates);
    await aggregates.read(() => ({}));
    const countedAt = now();
    await insert(facts.slice(5, 10));
    isSlow = true;
    aheadMs = 30_000;
    const { asOf, figures } = await aggregates.read(() => ({}));
    expect(asOf.getTime()).toBeLessThanOrEqual(countedAt.getTime());
    expect(plain(figures)).toEqual(recounted(counted));
    aheadMs = 61_000;
    await expect(aggregates.read(() => ({}))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    letGo();
    await eventually(async () => {
      const { figures: later } = await aggregates.read(() => ({}));
      expect(plain(later)).toEqual(recounted(await stored()));
    });
  });

  it('reading figures again and again costs no command of the store', async () => {
    let operations = 0;
    const counting = gatedConnection(connection, async (moment) => {
      if (moment === 'before') operations++;
      return 'go on';
    });
    await insert(facts);
    const aggregates = open(counting);
    await refreshAll(aggregates);
    const after = new Date(startMs + 1_500);
    await aggregates.read(() => ({ after }));
    const [before, startedAt] = [operations, Date.now()];
    for (let n = 0; n < 200; n++) await aggregates.read(() => ({ after }));
    const snapshots = Math.ceil((Date.now() - startedAt) / 400) + 1;
    expect(operations - before).toBeLessThanOrEqual(2 * snapshots);
  });

  it('a refresh costs as many commands of the store for documents of a hundred revisions as for documents of one', async () => {
    const operations: string[] = [];
    const aggregates = open(
      gatedConnection(connection, async (moment, operation) => {
        if (moment === 'before') operations.push(operation);
        return 'go on';
      }),
    );
    await insert(facts.slice(0, 100));
    await refreshAll(aggregates);
    const costOf = async (revOf: (n: number) => number) => {
      await collection().bulkWrite(
        facts.slice(0, 100).map(({ _id }, n) => ({
          updateOne: {
            filter: { _id },
            update: [{ $set: { roi: { $add: ['$roi', 1] }, rev: revOf(n), dirty: aggregates.dirtyUpdate } }],
          },
        })),
      );
      operations.length = 0;
      await refreshAll(aggregates);
      expect(await collection().countDocuments({ dirty: { $exists: true } })).toBe(0);
      return operations.filter((name) => name !== `${cells}.updateOne`);
    };
    const ofOne = await costOf(() => 2);
    expect(await costOf((n) => 3 + n)).toEqual(ofOne);
    await expectExact(open(), few);
  });

  it('one of several processes refreshes at a time, and another one goes on when it ends', async () => {
    const processes = [0, 1, 2].map(() => ({ aggregates: open(), resources: new AsyncDisposableStack() }));
    for (const each of processes) keepRefreshing(each.aggregates, silentLogger(), each.resources);
    await insert(facts.slice(0, 300));
    const clean = () => collection().countDocuments({ dirty: { $exists: true } });
    for (const { resources: own } of processes) {
      await change('fact_1', { roi: 77 });
      await eventually(async () => expect(await clean()).toBe(0));
      await own.disposeAsync();
    }
    await expectExact(open());
  });
});
