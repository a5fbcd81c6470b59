import { eventually, modelRuns } from '@sigcast/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackingServices } from '../src/index.ts';
import { canStartInstances, removeTemporaryDirs, startMongo, startTimeoutMs, within20s } from './support.ts';

const { MongoClient } = mongoose.mongo;
type Doc = { _id: number; text: string; at?: Date };
type Client = InstanceType<typeof MongoClient>;

/** The documents that have an instant, in the order of their instants, by the index. */
const query = { filter: { at: { $exists: true } }, hint: 'at', sort: { at: 1 } } as const;

const onDebian = canStartInstances ? describe : describe.skip;

onDebian('an index of documents that have an instant', () => {
  let services: BackingServices;
  let clients: Client[] = [];
  const collection = (name: string, client = 0) => {
    const found = clients[client];
    if (!found) throw new Error(`there is no client ${client}`);
    return found.db('test').collection<Doc>(name);
  };
  /** A new collection of `count` documents, none of which is in its index. */
  const fill = async (name: string, count: number) => {
    await collection(name).createIndex(
      { at: 1 },
      { name: query.hint, partialFilterExpression: query.filter },
    );
    const text = 'x'.repeat(1_500);
    await collection(name).insertMany(Array.from({ length: count }, (_, _id) => ({ _id, text })));
  };
  const read = (name: string, client = 0) =>
    collection(name, client).find(query.filter, { hint: query.hint, sort: query.sort }).toArray();

  beforeAll(async () => {
    services = await startMongo();
    const connect = () => MongoClient.connect(services.mongodbUri, { maxPoolSize: 1 });
    clients = await Promise.all(Array.from({ length: 12 }, connect));
  }, startTimeoutMs);

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await services?.stop();
    removeTemporaryDirs();
  }, startTimeoutMs);

  it('is read in its order without the documents that have left it, once it was read so', async () => {
    await fill('left', 5_000);
    for (let times = 0; times < 4; times += 1) {
      await collection('left').updateMany({}, [{ $set: { at: { $add: [new Date(times), '$_id'] } } }]);
      await collection('left').updateMany({}, { $unset: { at: '' } });
    }
    const find = { find: 'left', ...query };
    // 20,000 entries are left in the index. Without being skipped, each costs a block of the collection. None is marked
    // while an older transaction is open, such as an autovacuum's.
    await eventually(async () => {
      expect(await read('left')).toEqual([]);
      const plan = await clients[0]?.db('test').command({ explain: find, verbosity: 'executionStats' });
      expect(blocksRead(plan)).toBeGreaterThan(0);
      expect(blocksRead(plan)).toBeLessThan(1_000);
    }, within20s);
  });

  it('holds each document that is in it, while many clients put documents into it, take them out, and read it', async () => {
    const [owners, own] = [8, 40];
    await fill('moving', owners * own);
    const failures: string[] = [];
    let left = owners;
    /** Alone changes the documents whose id, divided by 8, leaves this rest, so it knows which of them are in the index. */
    const changeAndCheck = async (rest: number) => {
      const known = new Map<number, number>();
      for (let turn = 0; turn < modelRuns(30).numRuns; turn += 1) {
        const ids = Array.from({ length: own }, (_, n) => rest + owners * n).filter(
          (_, n) => (n * (turn + 3)) % 5 < 2,
        );
        if (turn % 3 === 2) {
          await collection('moving', rest).updateMany({ _id: { $in: ids } }, { $unset: { at: '' } });
          for (const id of ids) known.delete(id);
        } else {
          const ms = turn % 7; // instants come again, and others have them, too
          await collection('moving', rest).updateMany({ _id: { $in: ids } }, { $set: { at: new Date(ms) } });
          for (const id of ids) known.set(id, ms);
        }
        const found = (await read('moving', rest)).filter(({ _id }) => _id % owners === rest);
        const shown = found.map(({ _id, at }) => `${_id} ${at?.getTime()}`).sort();
        const expected = [...known].map(([id, ms]) => `${id} ${ms}`).sort();
        if (shown.join() !== expected.join()) failures.push(`${rest}: ${shown} instead of ${expected}`);
      }
    };
    const readOn = async (client: number) => {
      while (left > 0) await read('moving', client);
    };
    await Promise.all([
      ...Array.from({ length: owners }, (_, rest) =>
        changeAndCheck(rest).finally(() => {
          left -= 1;
        }),
      ),
      ...[8, 9, 10, 11].map((client) => readOn(client)),
    ]);
    expect(failures).toEqual([]);
  });
});

/** The most blocks that a step of the plan has read, as PostgreSQL counts them. */
function blocksRead(plan: unknown): number {
  let most = 0;
  JSON.stringify(plan, (name, value: unknown) => {
    if (/^Shared (Hit|Read) Blocks$/.test(name)) most = Math.max(most, Number(value));
    return value;
  });
  return most;
}
