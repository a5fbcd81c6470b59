import { createConnection, type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FullMongo, startFullMongo, type TestStack, testStack } from '../src/index.ts';

type Item = { _id: number; at?: Date };

let stack: TestStack;
let store: FullMongo;
let items: mongo.Collection<Item>;
const scope = new AsyncDisposableStack();

beforeAll(async () => {
  stack = scope.use(testStack());
  store = scope.use(await startFullMongo(stack.mongodbUri));
  const options = { dbName: stack.database('full') };
  const connection = await createConnection(store.mongodbUri, options).asPromise();
  scope.defer(() => connection.close());
  items = connection.collection<Item>('items') as unknown as mongo.Collection<Item>;
});
afterAll(() => scope.disposeAsync());

const ids = async () => (await items.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

describe('a store whose disk is full', () => {
  it('writes the first half of a command and refuses the rest, still answers reads, and writes everything once it has room', async () => {
    await items.insertOne({ _id: 1 });
    store.fill();
    const at = new Date(0);
    const some = [2, 3, 4, 5].map((_id) => ({ _id, at }));
    await expect(items.insertMany(some, { ordered: false })).rejects.toMatchObject({
      code: 14_031,
      writeErrors: [{ index: 2 }, { index: 3 }],
    });
    await expect(items.updateOne({ _id: 1 }, { $set: { at } })).rejects.toMatchObject({ code: 14_031 });
    await expect(items.findOneAndUpdate({ _id: 1 }, { $set: { at } })).rejects.toMatchObject({
      codeName: 'OutOfDiskSpace',
    });
    expect(await ids()).toEqual([1, 2, 3]);
    expect(await items.findOne({ _id: 2 })).toEqual({ _id: 2, at });
    expect(await items.findOne({ _id: 1 })).toEqual({ _id: 1 });
    expect(store.refused).toBe(3);
    store.free();
    await items.insertMany(some.slice(2));
    expect(await ids()).toEqual([1, 2, 3, 4, 5]);
  });
});
