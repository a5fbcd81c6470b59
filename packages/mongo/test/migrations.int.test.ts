import { silentLogger } from '@sigcast/runtime';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectMongo,
  type Migration,
  readMigrations,
  runMigrations,
  startMigrations,
} from '../src/index.ts';

type Note = { readonly _id: string; readonly times: number };

describe('migrations', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let database: string;
  let connection: Connection;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    database = stack.database('migrations');
    connection = await connectMongo({ uri: stack.mongodbUri, database }, silentLogger(), resources);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const notes = (name: string) => connection.collection<Note>(name);
  const inOrder = { sort: { _id: 1 } } as const;
  /** Documents a to j. */
  const write = (name: string) => notes(name).insertMany([...'abcdefghij'].map((_id) => ({ _id, times: 0 })));
  const times = async (name: string) =>
    (await notes(name).find({}, inOrder).toArray()).map((one) => one.times);
  /** Counts in each document how often it was changed, three at a time. */
  const counting = (
    name: string,
    before: (after?: string) => Promise<void> = async () => undefined,
  ): Migration => ({
    name,
    what: 'counts',
    next: async (_, after) => {
      await before(after);
      const filter = after === undefined ? {} : { _id: { $gt: after } };
      const some = await notes(name)
        .find(filter, { ...inOrder, limit: 3 })
        .toArray();
      if (some.length === 0) return undefined;
      const ids = some.map(({ _id }) => _id);
      await notes(name).updateMany({ _id: { $in: ids } }, { $inc: { times: 1 } });
      return { changed: ids.length, after: ids.at(-1) ?? '' };
    },
  });
  const recordOf = async (name: string) => (await readMigrations(connection)).find(({ _id }) => _id === name);
  const run = (...migrations: Migration[]) => runMigrations(connection, migrations, { version: '1.2.3' });

  it('migrations are done once, in order, and recorded with time and version', async () => {
    await Promise.all(['first', 'second'].map(write));
    const order: string[] = [];
    const told = (name: string) => counting(name, async () => void order.push(name));
    await run(told('first'), told('second'));
    expect(new Set(order.slice(0, 5))).toEqual(new Set(['first']));
    const record = await recordOf('second');
    expect(record).toMatchObject({ changed: 10, version: '1.2.3' });
    expect(record?.done_at?.getTime()).toBeGreaterThanOrEqual(record?.started_at.getTime() ?? Number.NaN);
    await run(told('first'), told('second'));
    expect([await times('first'), await times('second')]).toEqual([Array(10).fill(1), Array(10).fill(1)]);
    expect(await recordOf('second')).toEqual(record);
  });

  it('a migration goes on where it was interrupted', async () => {
    await write('ended');
    const dies = counting('ended', async (after) => {
      if (after === 'f') throw new Error('killed');
    });
    await expect(run(dies)).rejects.toThrow('killed');
    expect(await recordOf('ended')).toMatchObject({ changed: 6, after: 'f' });
    expect(await recordOf('ended')).not.toHaveProperty('done_at');
    await run(counting('ended'));
    expect(await times('ended')).toEqual(Array(10).fill(1));
    expect(await recordOf('ended')).toMatchObject({ changed: 10, done_at: expect.any(Date) });
  });

  it('a migration that two processes run at once, one of which dies, leaves out no document', async () => {
    await write('both');
    const dies = counting('both', async (after) => {
      if (after === 'f') throw new Error('killed');
    });
    const ends = await Promise.allSettled([run(dies), run(counting('both'))]);
    expect(ends).toMatchObject([{ reason: { message: 'killed' } }, { status: 'fulfilled' }]);
    expect((await times('both')).every((count) => count > 0)).toBe(true);
    expect(await recordOf('both')).toMatchObject({ version: '1.2.3', done_at: expect.any(Date) });
  });

  it('a migration is done again from the beginning on request', async () => {
    await write('again');
    await run(counting('again'));
    await runMigrations(connection, [counting('again')], { version: '2.0.0', again: true });
    expect(await times('again')).toEqual(Array(10).fill(2));
    expect(await recordOf('again')).toMatchObject({ changed: 10, version: '2.0.0' });
  });

  it('a migration is tried again while its documents can not be changed yet', async () => {
    let asked = 0;
    const waits: Migration = {
      name: 'waits',
      what: 'waits',
      next: async () => (asked++ < 1 ? { changed: 0, waitMs: 1 } : undefined),
    };
    await run(waits);
    expect(await recordOf('waits')).toMatchObject({ changed: 0, done_at: expect.any(Date) });
  });

  it('a migration that is begun again while it runs leaves out no document, and the earlier run ends', async () => {
    await write('anew');
    const begunAnew = Promise.withResolvers<void>();
    const slow = counting('anew', async (after) => {
      if (after === 'f') await begunAnew.promise;
    });
    const first = run(slow);
    await eventually(async () => expect(await recordOf('anew')).toHaveProperty('after', 'f'));
    // Undoes the changes so far, as a process of an older version may.
    await notes('anew').updateMany({}, { $set: { times: 0 } });
    const dies = counting('anew', async (after) => {
      if (after !== 'c') return;
      begunAnew.resolve();
      await first;
      throw new Error('killed');
    });
    await expect(runMigrations(connection, [dies], { version: '2.0.0', again: true })).rejects.toThrow(
      'killed',
    );
    expect(await recordOf('anew')).toMatchObject({ changed: 3, after: 'c' });
    await run(counting('anew'));
    expect((await times('anew')).every((count) => count > 0)).toBe(true);
    expect(await recordOf('anew')).toMatchObject({ changed: 10, done_at: expect.any(Date) });
  });

  it('a service that starts does migrations in the background, interrupted ones included', async () => {
    await Promise.all(['killed', 'untouched'].map(write));
    const dies = counting('killed', async (after) => {
      if (after === 'f') throw new Error('killed');
    });
    await expect(run(dies)).rejects.toThrow('killed');
    const service = new AsyncDisposableStack();
    const migrations = [counting('killed'), counting('untouched')];
    startMigrations(connection, migrations, { version: '3.0.0', log: silentLogger(), resources: service });
    await eventually(async () => expect(await recordOf('untouched')).toHaveProperty('version', '3.0.0'));
    await service.disposeAsync();
    expect([await times('killed'), await times('untouched')]).toEqual([Array(10).fill(1), Array(10).fill(1)]);
  });

  it('a service that stops ends a migration after a step, and the migration goes on from there', async () => {
    await write('stopped');
    const service = new AsyncDisposableStack();
    const began = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const held = counting('stopped', async () => {
      began.resolve();
      await stopped.promise;
    });
    startMigrations(connection, [held], { version: '3.0.0', log: silentLogger(), resources: service });
    await began.promise;
    const end = service.disposeAsync();
    stopped.resolve();
    await end;
    expect(await recordOf('stopped')).toMatchObject({ changed: 3, after: 'c' });
    await run(counting('stopped'));
    expect(await times('stopped')).toEqual(Array(10).fill(1));
  });

  it('a migration that can find unchanged documents runs again on the command’s request, although it is recorded as done', async () => {
    await write('left');
    const finds: Migration = {
      name: 'left',
      what: 'finds what is left',
      findsLeftovers: true,
      next: async () => {
        const { modifiedCount } = await notes('left').updateMany({ times: 0 }, { $set: { times: 1 } });
        return modifiedCount === 0 ? undefined : { changed: modifiedCount };
      },
    };
    await run(finds);
    await notes('left').insertOne({ _id: 'k', times: 0 });
    await run(finds);
    expect(await times('left')).toContain(0);
    await runMigrations(connection, [finds], { version: '1.2.3', leftovers: true });
    expect(await times('left')).toEqual(Array(11).fill(1));
    expect(await recordOf('left')).toMatchObject({ changed: 11, done_at: expect.any(Date) });
  });
});
