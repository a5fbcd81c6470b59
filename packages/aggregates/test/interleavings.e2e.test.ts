import { type Fate, gatedConnection, Killed } from '@sigcast/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openChangeLog } from '../src/change-log.ts';
import { type Aggregates, openAggregates } from '../src/index.ts';
import { cells, type Fact, facts, log, openFixture, source, startMs } from './fixture.ts';

const { clear, change, collection, connection, expectExact, few, insert, open, ...fixture } =
  await openFixture('interleavings');
const { plain, recounted, refreshAll, stored } = fixture;

const reading = `before ${log}.find`;
const minuteMs = 60_000;
/** An instant within the cells of the thousand facts of five seconds. */
const after = new Date(startMs + 1_500);

/** A process that pauses at the n-th occurrence of an operation after `arm`. */
function heldUp(now = () => new Date()) {
  let armed: { at: string; times: number; meanwhile: () => Promise<Fate | undefined> } | undefined;
  const gate = async (moment: string, operation: string): Promise<Fate> => {
    if (armed?.at !== `${moment} ${operation}` || --armed.times > 0) return 'go on';
    const { meanwhile } = armed;
    armed = undefined;
    return (await meanwhile()) ?? 'go on';
  };
  return {
    aggregates: openAggregates(gatedConnection(connection, gate), source, now),
    arm: (at: string, meanwhile: () => Promise<Fate | undefined>, times = 1) => {
      armed = { at, times, meanwhile };
    },
    wasHeldUp: () => armed === undefined,
  };
}

describe('aggregates of a process that is held up between two operations', () => {
  beforeEach(async () => {
    await clear();
    // Built while the collection is empty, so that all facts are counted by the log.
    await open().build();
    await insert(facts.slice(600, 1_200));
  });
  afterAll(() => fixture.resources.disposeAsync());

  it.each(['refresh', 'readNow'] as const)(
    'a document that other processes count twice between the two reads of a %s is counted once',
    async (what) => {
      const [others, { aggregates, arm, wasHeldUp }] = [open(), heldUp()];
      await refreshAll(aggregates);
      await aggregates.readNow({});
      await change('fact_700', { roi: 1 });
      arm(reading, async () => {
        for (const roi of [20, 300]) {
          await refreshAll(others);
          await change('fact_700', { roi });
        }
        await refreshAll(others);
        return undefined;
      });
      if (what === 'refresh') await aggregates.refresh();
      else expect(sums(await aggregates.readNow({}))).toEqual(sums(recounted(await stored())));
      expect(wasHeldUp()).toBe(true);
      await expectExact(aggregates, few);
      await expectExact(open(), few);
    },
  );

  it('a snapshot reads dirty documents before the log', async () => {
    const [others, { aggregates, arm, wasHeldUp }] = [open(), heldUp()];
    await refreshAll(aggregates);
    await aggregates.readNow({});
    await change('fact_700', { roi: 1 });
    const asCalled = recounted(await stored());
    arm(`after ${log}.find`, async () => {
      await refreshAll(others);
      await change('fact_700', { roi: 20 });
      return undefined;
    });
    expect(sums(await aggregates.readNow({}))).toEqual(sums(asCalled));
    expect(wasHeldUp()).toBe(true);
  });

  it('figures are never read from the view of a log that was lost', async () => {
    const [others, aggregates] = [open(), open()];
    await refreshAll(others);
    await aggregates.read(() => ({}));
    await change('fact_700', { roi: 1 });
    await others.refresh();
    const [lost] = await connection.collection(log).find().sort({ _id: -1 }).toArray();
    await change('fact_701', { roi: 20 });
    await others.refresh();
    await connection.collection(log).deleteOne(lost ?? {});
    expect(sums(await aggregates.readNow({}))).toEqual(sums(recounted(await stored())));
    await expectExact(aggregates, few);
    await expectExact(open(), few);
  });

  it('a view is loaded while a checkpoint removes batches, without counting all documents again', async () => {
    const others = open();
    for (const roi of [1, 20]) {
      await change('fact_700', { roi });
      await refreshAll(others);
    }
    const { aggregates, arm, wasHeldUp } = heldUp();
    arm(reading, async () => {
      await change('fact_701', { roi: 20 });
      // By this clock all batches are old.
      await refreshAll(openAggregates(connection, source, () => new Date(Date.now() + 11 * minuteMs)));
      return undefined;
    });
    await aggregates.read(() => ({}));
    expect(wasHeldUp()).toBe(true);
    await expectExact(aggregates, few);
    const batches = await connection.collection(log).find().toArray();
    expect(batches.filter(({ changes }) => (changes as unknown[]).length === 0)).toEqual([]);
  });

  it('a process begins with the newer of two checkpoints, whichever is stored last', async () => {
    const changes = openChangeLog(connection);
    for (const number of [7, 5]) await changes.saveCheckpoint({ number, token: '' }, [], new Date(0));
    expect((await changes.state()).checkpoint.number).toBe(7);
  });

  it('no checkpoint is made while a document does not say what the log counts of it', async () => {
    await refreshAll(open());
    await change('fact_700', { roi: 1 });
    const { aggregates, arm, wasHeldUp } = heldUp();
    const killed = heldUp();
    // A process's first snapshot loads the view and reads dirty documents again.
    arm(
      `after ${source.collection}.find`,
      async () => {
        await change('fact_701', { roi: 20 });
        killed.arm(`before ${source.collection}.bulkWrite`, async () => 'die');
        await expect(killed.aggregates.refresh()).rejects.toThrow(Killed);
        return undefined;
      },
      2,
    );
    await change('fact_702', { roi: 300 });
    await aggregates.refresh();
    expect(wasHeldUp() && killed.wasHeldUp()).toBe(true);
    await expectExact(open(), few);
  });

  it('a process begins right when another was killed between the cells of a checkpoint and its position', async () => {
    const { aggregates, arm, wasHeldUp } = heldUp();
    arm(`before ${cells}.updateOne`, async () => 'die');
    await expect(refreshAll(aggregates)).rejects.toThrow(Killed);
    expect(wasHeldUp()).toBe(true);
    await expectExact(open(), few);
  });

  it.each([
    ['as it was', 2],
    ['later', 3],
  ])(
    'a refresh clears no dirty flag of a document that was removed and inserted again, its revision %s',
    async (_, rev) => {
      const [others, { aggregates, arm, wasHeldUp }] = [open(), heldUp()];
      await refreshAll(others);
      await change('fact_700', { roi: 1 });
      arm(`before ${source.collection}.bulkWrite`, async () => {
        await collection().deleteOne({ _id: 'fact_700' });
        await insert([{ ...(facts[700] as Fact), roi: 4_242, rev }]);
        await others.rebuild();
        return undefined;
      });
      await aggregates.refresh();
      expect(wasHeldUp()).toBe(true);
      await expectExact(open(), few);
      await expectExact(others, few);
    },
  );

  it('a refresh records the counted state in a document that changed again', async () => {
    const { aggregates, arm, wasHeldUp } = heldUp();
    await refreshAll(open());
    await change('fact_700', { roi: 1 });
    arm(`before ${source.collection}.bulkWrite`, async () => {
      await change('fact_700', { roi: 20 });
      return undefined;
    });
    await aggregates.refresh();
    expect(wasHeldUp()).toBe(true);
    await expectExact(open(), few);
  });

  it('a change that is applied while the documents of its cell are read is kept', async () => {
    const [others, { aggregates, arm, wasHeldUp }] = [open(), heldUp()];
    await refreshAll(aggregates);
    await aggregates.readNow({});
    arm(
      `after ${source.collection}.find`,
      async () => {
        await change('fact_1000', { roi: 20 });
        await refreshAll(others);
        await aggregates.readNow({});
        return undefined;
      },
      2,
    );
    await aggregates.readNow({ after });
    expect(wasHeldUp()).toBe(true);
    expect(sums(await aggregates.readNow({ after }))).toEqual(sums(recounted(await stored(), after)));
  });

  it('documents of a cell are used only once the view has the batches that count them', async () => {
    const nowMs = Date.now();
    const { aggregates, arm, wasHeldUp } = heldUp(() => new Date(nowMs));
    await refreshAll(aggregates);
    await aggregates.readNow({});
    const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let read: Promise<unknown> | undefined;
    arm(`after ${log}.find`, async () => {
      // The documents are read after this snapshot, so they are newer.
      await change('fact_1000', { roi: 20 });
      await refreshAll(open());
      arm(reading, async () => {
        reached.resolve();
        await goesOn.promise;
        return undefined;
      });
      read = aggregates.read(() => ({ after }));
      await reached.promise;
      return undefined;
    });
    await change('fact_1000', { roi: 1 });
    const figures = aggregates.readNow({ after });
    await reached.promise;
    // The snapshot is complete, so it goes on before anything else is read.
    for (let n = 0; n < 50; n++) await new Promise(setImmediate);
    goesOn.resolve();
    await read;
    expect(wasHeldUp()).toBe(true);
    expect(sums(await figures)).toEqual(sums(recounted(await stored(), after)));
  });

  it('an instant by a clock that is ahead does not make figures newer', async () => {
    const clock = { ms: Date.now() };
    const [ahead, aggregates] = [minuteMs, 0].map((skewMs) =>
      openAggregates(connection, source, () => new Date(clock.ms + skewMs)),
    ) as [Aggregates, Aggregates];
    await refreshAll(ahead);
    await aggregates.readNow({});
    await change('fact_700', { roi: 1 });
    clock.ms += 2_000;
    const { asOf, figures } = await aggregates.read(() => ({}));
    expect(asOf).toEqual(new Date(clock.ms));
    expect(plain(figures)).toEqual(recounted(await stored()));
  });

  it('figures name an instant by a clock that was set back', async () => {
    const clock = { ms: Date.now() };
    const aggregates = openAggregates(connection, source, () => new Date(clock.ms));
    await aggregates.read(() => ({}));
    clock.ms -= 60 * minuteMs;
    await change('fact_700', { roi: 1 });
    const { asOf, figures } = await aggregates.read(() => ({}));
    expect(asOf).toEqual(new Date(clock.ms));
    expect(plain(figures)).toEqual(recounted(await stored()));
  });
});

/** The figures that are sums. */
function sums(figures: Iterable<readonly [string, readonly number[]]>) {
  return [...figures]
    .map(([type, values]) => [type, ...values.slice(0, 3)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}
