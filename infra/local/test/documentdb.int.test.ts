import { connect as connectSocket } from 'node:net';
import { deserialize, serialize } from 'bson';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shapesSeenBy } from '../src/command-shapes.ts';
import { encodeMessage } from '../src/documentdb/wire.ts';
import type { BackingServices } from '../src/index.ts';
import { canStartInstances, removeTemporaryDirs, startMongo, startTimeoutMs } from './support.ts';

const { MongoClient } = mongoose.mongo;
type Doc = mongoose.mongo.BSON.Document & { _id: string | number };
type Client = InstanceType<typeof MongoClient>;

// Takes some 20 s: an engine of its own is started, and 50 clients write to the same documents.
/** As many as a busy development system has; each its own connection. */
const clientCount = 50;

const onDebian = canStartInstances ? describe : describe.skip;

onDebian('the wire gateway', () => {
  let services: BackingServices;
  let client: Client;
  let clients: Client[] = [];
  let tests = 0;
  let name = '';
  const collection = (of: Client = client, called = name) => of.db('test').collection<Doc>(called);
  /** The same operation from every client at once. */
  const everyone = <T>(operation: (own: ReturnType<typeof collection>, index: number) => Promise<T>) =>
    Promise.all(clients.map((own, index) => operation(collection(own), index)));
  const one = (_id: Doc['_id']) => collection().findOne({ _id });

  beforeAll(async () => {
    services = await startMongo();
    client = await MongoClient.connect(services.mongodbUri);
    const connect = () => MongoClient.connect(services.mongodbUri, { maxPoolSize: 1 });
    clients = await Promise.all(Array.from({ length: clientCount }, connect));
  }, startTimeoutMs);

  afterAll(async () => {
    await Promise.all([client, ...clients].map((open) => open?.close()));
    await services?.stop();
    removeTemporaryDirs();
  }, startTimeoutMs);

  beforeEach(() => {
    name = `c${++tests}`;
  });

  describe('writes', () => {
    it('deletes a document that other clients are changing, like MongoDB', async () => {
      await collection().createIndex({ at: 1 });
      for (let n = 0; n < 60; n++) {
        const _id = `d${n}`;
        await collection().insertOne({ _id, at: 0 });
        let isOver = false;
        const changing = Promise.all(
          clients.slice(0, 3).map(async (own, index) => {
            for (let at = index; !isOver; at += 3)
              await collection(own).findOneAndUpdate({ _id }, { $set: { at } });
          }),
        );
        expect((await collection().deleteOne({ _id })).deletedCount).toBe(1);
        expect((await collection().deleteOne({ _id })).deletedCount).toBe(0);
        isOver = true;
        await changing;
        expect(await one(_id)).toBeNull();
      }
    });

    it('reports a duplicate key like MongoDB, with its pattern and value', async () => {
      await collection().createIndex({ email: 1 }, { unique: true });
      await collection().insertOne({ _id: 1, email: 'a' });
      await expect(collection().insertOne({ _id: 1 })).rejects.toMatchObject({
        code: 11000,
        message: expect.stringContaining(`E11000 duplicate key error collection: test.${name} index: _id_`),
        keyPattern: { _id: 1 },
        keyValue: { _id: 1 },
      });
      const duplicate = { code: 11000, keyPattern: { email: 1 } };
      await expect(collection().insertOne({ _id: 2, email: 'a' })).rejects.toMatchObject(duplicate);
      await collection().insertOne({ _id: 3, email: 'b' });
      const change = { $set: { email: 'a' } };
      await expect(collection().updateOne({ _id: 3 }, change)).rejects.toMatchObject(duplicate);
      await expect(collection().findOneAndUpdate({ _id: 3 }, change)).rejects.toMatchObject(duplicate);
    });

    it('inserts the rest of an unordered batch and names each duplicate by its index', async () => {
      await collection().insertMany([{ _id: 1 }, { _id: 2 }]);
      const batch = [3, 1, 4, 2, 5].map((_id) => ({ _id }));
      const failure = await collection()
        .insertMany(batch, { ordered: false })
        .catch((error: unknown) => error as InstanceType<typeof mongoose.mongo.MongoBulkWriteError>);
      expect(failure).toMatchObject({ code: 11000, insertedCount: 3 });
      const errors = (failure as unknown as { writeErrors: { index: number; code: number }[] }).writeErrors;
      expect(errors.map(({ index, code }) => [index, code])).toEqual([
        [1, 11000],
        [3, 11000],
      ]);
      expect(await collection().countDocuments()).toBe(5);
    });

    it('makes unacknowledged writes, and does not answer them', async () => {
      await collection().insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
      await collection().insertOne({ _id: 2 });
      expect(await collection().countDocuments()).toBe(2);
    });

    it('refuses what a standalone server refuses: transactions', async () => {
      const session = client.startSession();
      session.startTransaction();
      await expect(collection().insertOne({ _id: 1 }, { session })).rejects.toThrow();
      await session.endSession();
      expect(await collection().countDocuments()).toBe(0);
      const command = { insert: name, documents: [{ _id: 1 }], startTransaction: true, autocommit: false };
      await expect(client.db('test').command(command)).rejects.toMatchObject({ code: 20 });
    });

    it('takes a batch of many thousand documents', async () => {
      const documents = Array.from({ length: 60_000 }, (_, n) => ({ _id: n }));
      expect(await collection().insertMany(documents, { ordered: false })).toMatchObject({
        insertedCount: 60_000,
      });
      expect(await collection().estimatedDocumentCount()).toBeGreaterThan(0);
    });
  });

  describe('reads', () => {
    const COUNT = 1_000;
    let numbers: ReturnType<typeof collection>;

    beforeAll(async () => {
      numbers = collection(client, 'numbers');
      const kinds = ['a', 'b', 'c'];
      await numbers.insertMany(
        Array.from({ length: COUNT }, (_, n) => ({ _id: n, n: n % 7, kind: kinds[n % 3] })),
      );
      await numbers.createIndex({ kind: 1, n: -1 });
    });

    it('pages through every kind of cursor without losing or repeating a document', async () => {
      const cursors = () => [
        numbers.find().batchSize(90),
        numbers.find().sort({ n: 1 }).batchSize(90),
        numbers
          .find({}, { hint: { kind: 1, n: -1 } })
          .sort({ kind: 1 })
          .batchSize(90),
        numbers.aggregate<Doc>([{ $sort: { n: 1 } }], { batchSize: 90 }),
        numbers.aggregate<Doc>([{ $group: { _id: '$_id' } }], { batchSize: 90 }),
      ];
      // Together, so that their pages are fetched over different connections to the database.
      const pages = await Promise.all(
        [...cursors(), ...cursors(), ...cursors()].map((cursor) => cursor.toArray()),
      );
      for (const documents of pages) {
        expect(documents).toHaveLength(COUNT);
        expect(new Set(documents.map(({ _id }) => _id)).size).toBe(COUNT);
      }
    });

    it('honours limit, skip, batch size, single batch and hint', async () => {
      expect(await numbers.find().limit(250).batchSize(100).toArray()).toHaveLength(250);
      const page = await numbers.find().sort({ _id: 1 }).skip(10).limit(2).toArray();
      expect(page.map(({ _id }) => _id)).toEqual([10, 11]);
      const command = { find: 'numbers', batchSize: 5, singleBatch: true, hint: { kind: 1, n: -1 } };
      const { cursor } = (await client.db('test').command(command)) as {
        cursor: { firstBatch: unknown[]; id: number | bigint };
      };
      expect(cursor.firstBatch).toHaveLength(5);
      expect(Number(cursor.id)).toBe(0);
    });

    it('does not know a cursor that was closed', async () => {
      const cursor = numbers.find().batchSize(2);
      await cursor.next();
      const id = cursor.id as unknown as bigint;
      await cursor.close();
      const getMore = client.db('test').command({ getMore: id, collection: 'numbers' });
      await expect(getMore).rejects.toMatchObject({ code: 43 });
    });

    it('refuses a service that reads several pages without a sort', async () => {
      const find = { find: 'numbers', apiVersion: '1', apiStrict: true };
      const asked = (more: object) => client.db('test').command({ ...find, ...more });
      await expect(asked({ batchSize: 90 })).rejects.toMatchObject({ code: 2, message: /needs a sort/ });
      for (const more of [{ batchSize: 90, sort: { _id: 1 } }, { batchSize: 90, limit: 90 }, {}])
        await expect(asked(more)).resolves.toMatchObject({ ok: 1 });
    });

    it('finds each document once while all documents are updated', async () => {
      const things = client.db('paged').collection<Doc>('things');
      await things.createIndex({ kind: 1 }, { name: 'kind' });
      await things.insertMany(Array.from({ length: 250 }, (_, n) => ({ _id: n, kind: 'x', n: 0 })));
      const stopping = new AbortController();
      const updating = Array.from({ length: 12 }, async (_, from) => {
        for (let n = from; !stopping.signal.aborted; n += 7)
          await things.updateOne({ _id: n % 250 }, { $inc: { n: 1 } });
      });
      for (let round = 0; round < 60; round++) {
        const found = await things.find({ kind: 'x' }, { hint: 'kind' }).toArray();
        expect(found.map(({ _id }) => Number(_id)).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 250 }, (_, n) => n),
        );
      }
      stopping.abort();
      await Promise.all(updating);
    });
  });

  describe('collections and indexes', () => {
    it('keeps unique, partial, TTL and compound indexes as they were asked for', async () => {
      await collection().createIndex(
        { a: 1 },
        { unique: true, partialFilterExpression: { a: { $exists: true } } },
      );
      await collection().createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      await collection().createIndex({ b: 1, c: -1 }, { name: 'own' });
      await collection().createIndex({ b: 1, c: -1 }, { name: 'own' });
      expect(await collection().indexes()).toMatchObject([
        { name: '_id_' },
        { key: { a: 1 }, unique: true, partialFilterExpression: { a: { $exists: true } } },
        { key: { at: 1 }, expireAfterSeconds: 60 },
        { key: { b: 1, c: -1 }, name: 'own' },
      ]);
      await collection().insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, a: 1 }]);
      await expect(collection().insertOne({ _id: 4, a: 1 })).rejects.toMatchObject({ code: 11000 });
      await collection().dropIndex('own');
      await expect(collection().dropIndex('own')).rejects.toMatchObject({ code: 27 });
      await expect(collection().createIndex({ x: 1 }, { name: 'a_1' })).rejects.toMatchObject({ code: 86 });
    });

    it('lets many clients create the same collection and index at once', async () => {
      await everyone((own) => own.createIndex({ a: 1 }, { unique: true }));
      expect(await collection().indexes()).toHaveLength(2);
    });
  });

  describe(`${clientCount} clients at once`, () => {
    it('lose no $inc and no $push', async () => {
      await collection().insertOne({ _id: 1, n: 0, list: [] });
      await everyone(async (own, index) => {
        for (let n = 0; n < 10; n++) {
          const item = index * 10 + n;
          await own.updateOne({ _id: 1 }, { $inc: { n: 1 } });
          await own.findOneAndUpdate({ _id: 1 }, { $push: { list: item } } as object);
        }
      });
      const document = await one(1);
      expect(document?.n).toBe(clientCount * 10);
      expect(new Set(document?.list as number[]).size).toBe(clientCount * 10);
      expect(document?.list).toHaveLength(clientCount * 10);
    });

    it.each(['updateOne', 'findOneAndUpdate'] as const)(
      'have one winner of each compare-and-set by %s',
      async (method) => {
        await collection().insertOne({ _id: 1, rev: 0 });
        for (let rev = 0; rev < 10; rev++) {
          const results = await everyone(async (own, index) => {
            const change = { $set: { rev: rev + 1, by: index } };
            if (method === 'findOneAndUpdate')
              return (await own.findOneAndUpdate({ _id: 1, rev }, change)) !== null;
            const { matchedCount, modifiedCount } = await own.updateOne({ _id: 1, rev }, change);
            expect(matchedCount).toBe(modifiedCount);
            return modifiedCount === 1;
          });
          const winners = results.flatMap((won, index) => (won ? [index] : []));
          expect(winners).toHaveLength(1);
          expect(await one(1)).toEqual({ _id: 1, rev: rev + 1, by: winners[0] });
        }
      },
    );

    it('upsert one document, and exactly one of them is told that it inserted the document', async () => {
      for (let round = 0; round < 10; round++) {
        const results = await everyone((own, index) => {
          const change = { $inc: { n: 1 }, $setOnInsert: { by: index } };
          return own.updateOne({ _id: round }, change, { upsert: true });
        });
        const inserted = results.flatMap(({ upsertedCount }, index) => (upsertedCount ? [index] : []));
        expect(inserted).toHaveLength(1);
        expect(await one(round)).toEqual({ _id: round, n: clientCount, by: inserted[0] });
      }
    });

    it('upsert one document by a unique key that is not its identity', async () => {
      await collection().createIndex({ key: 1 }, { unique: true });
      for (let round = 0; round < 5; round++) {
        await everyone((own) => own.updateOne({ key: round }, { $inc: { n: 1 } }, { upsert: true }));
        const found = await collection().find({ key: round }).toArray();
        expect(found).toMatchObject([{ n: clientCount }]);
      }
    });

    it('finish overlapping batches in any order, each update applied once', async () => {
      const ids = Array.from({ length: 20 }, (_, n) => n);
      await collection().insertMany(ids.map((_id) => ({ _id, n: 0 })));
      await everyone((own, index) => {
        const order = index % 2 === 0 ? ids : [...ids].reverse();
        const updates = order.map((_id) => ({ updateOne: { filter: { _id }, update: { $inc: { n: 1 } } } }));
        return own.bulkWrite(updates, { ordered: false });
      });
      expect(await collection().distinct('n')).toEqual([clientCount]);
    });
  });

  describe('the protocol', () => {
    it('answers an unknown command with CommandNotFound', async () => {
      await expect(client.db('test').command({ surprise: 1 })).rejects.toMatchObject({ code: 59 });
    });

    it('reads a message with a checksum, in pieces, and answers in the order of the requests', async () => {
      const [plain, second] = [1, 2].map((id) => encodeMessage(serialize({ ping: 1, $db: 'admin' }), id, 0));
      const withChecksum = Buffer.concat([plain as Buffer, Buffer.from([1, 2, 3, 4])]);
      withChecksum.writeInt32LE(withChecksum.length, 0);
      withChecksum.writeUInt32LE(1, 16);
      const bytes = Buffer.concat([withChecksum, second as Buffer]);
      const socket = connectSocket(Number(new URL(services.mongodbUri).port), '127.0.0.1');
      let received = Buffer.alloc(0);
      const both = new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.on('data', (data) => {
          received = Buffer.concat([received, data]);
          const first = received.length > 4 ? received.readInt32LE(0) : Number.POSITIVE_INFINITY;
          if (received.length > first && received.length === first + received.readInt32LE(first)) resolve();
        });
      });
      for (const byte of bytes.subarray(0, 40)) socket.write(Buffer.from([byte]));
      socket.write(bytes.subarray(40));
      await both;
      socket.destroy();
      const first = received.readInt32LE(0);
      expect(received.readInt32LE(8)).toBe(1);
      expect(received.readInt32LE(first + 8)).toBe(2);
      expect(deserialize(received.subarray(21, first))).toEqual({ ok: 1 });
    });

    it('closes a connection that does not speak the protocol, and serves the others', async () => {
      const socket = connectSocket(Number(new URL(services.mongodbUri).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write('GET / HTTP/1.1\r\n\r\n');
      await closed;
      expect(await client.db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
    });
  });

  describe('a client', () => {
    it('may declare the read and write concerns that one server can keep, and no others', async () => {
      const insert = (w: number | 'majority') =>
        collection().insertOne({ _id: `${w}` }, { writeConcern: { w, journal: true, wtimeoutMS: 1_000 } });
      await insert('majority');
      await insert(1);
      await expect(insert(2)).rejects.toMatchObject({ code: 2 });
      await expect(insert('elsewhere' as 'majority')).rejects.toMatchObject({ code: 79 });
      expect(await collection().countDocuments()).toBe(2);
      const read = (level: 'majority' | 'linearizable' | 'snapshot') =>
        collection().find({}, { readConcern: { level } }).toArray();
      expect(await read('majority')).toHaveLength(2);
      for (const level of ['linearizable', 'snapshot'] as const) {
        await expect(read(level)).rejects.toMatchObject({ code: 123 });
      }
    });

    it('that declares the Stable API strictly is refused everything outside of it, and the shapes of its commands are kept', async () => {
      const serverApi = { version: '1', strict: true, deprecationErrors: true } as const;
      await using strict = await MongoClient.connect(services.mongodbUri, { serverApi });
      const before = (await shapesSeenBy(services.mongodbUri)) ?? [];
      await collection(strict).insertMany([{ _id: 1, age: 1 }, { _id: 2 }], { ordered: false });
      expect(
        await collection(strict)
          .find({ age: { $gte: 1 } })
          .sort({ age: 1 })
          .toArray(),
      ).toHaveLength(1);
      const refused = { code: 323, codeName: 'APIStrictError' };
      await expect(collection(strict).distinct('age')).rejects.toMatchObject(refused);
      await expect(collection(strict).find({}, { showRecordId: true }).toArray()).rejects.toMatchObject(
        refused,
      );
      await expect(
        collection(strict)
          .aggregate([{ $indexStats: {} }])
          .toArray(),
      ).rejects.toMatchObject(refused);
      await expect(
        collection(strict).createIndexes([{ key: { age: 1 }, name: 'age', sparse: true }]),
      ).rejects.toMatchObject(refused);
      await expect(
        client.db('test').command({ ping: 1, apiVersion: '2', apiStrict: true }),
      ).rejects.toMatchObject({ code: 322 });
      // Shapes of clients that don't declare it are not kept.
      expect(await collection().distinct('age')).toEqual([1]);
      const seen = (await shapesSeenBy(services.mongodbUri)) ?? [];
      expect(seen.filter((shape) => !before.includes(shape))).toEqual([
        'find operator $gte',
        'find options filter sort',
        'insert options documents ordered',
      ]);
    });

    it('can ask how many commands clients have sent, by database and name', async () => {
      const counted = client.db('counted').collection<Doc>(name);
      await counted.insertMany([{ _id: 1 }, { _id: 2 }]);
      for (const _id of [1, 2, 3]) await counted.findOne({ _id });
      const told = await client.db('admin').command({ commandcounts: 1 });
      expect(told).toMatchObject({ databases: { counted: { insert: 1, find: 3 } } });
    });
  });
});
