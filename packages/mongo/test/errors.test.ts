import { SigcastError } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { type MongoReply, type ScriptedMongo, startScriptedMongo } from '@sigcast/testing';
import { type Connection, type Model, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectMongo,
  duplicateWrites,
  isDuplicateKey,
  isInserted,
  isUnavailable,
  refusedWrites,
  serverErrors,
  storeCall,
  translateMongoError,
} from '../src/index.ts';

const codes = [...serverErrors].map(([code, row]) => ({ code, ...row }));
const edgeCode = {
  outage: 'SERVICE_UNAVAILABLE',
  refused: 'SERVICE_UNAVAILABLE',
  fault: 'INTERNAL_ERROR',
} as const;

describe('errors of the store', () => {
  let server: ScriptedMongo;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let noteModel: Model<{ n: number }>;
  beforeAll(async () => {
    server = await startScriptedMongo();
    resources = new AsyncDisposableStack();
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    connection = await connectMongo({ uri, database: 'scripted' }, silentLogger(), resources);
    const schema = new Schema<{ n: number }>({ n: Number }, { strict: 'throw', collection: 'notes' });
    noteModel = connection.model<{ n: number }>('Note', schema);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await server[Symbol.asyncDispose]();
  });

  const notes = () => connection.collection<{ n?: number; text?: unknown }>('notes');
  const model = () => noteModel;
  /** The result or error of a call while the server gives these answers. */
  const outcomeOf = async (call: () => Promise<unknown>, answers: Record<string, MongoReply> = {}) => {
    for (const [command, reply] of Object.entries(answers)) server.answer(command, reply);
    try {
      return await storeCall(call).then(
        () => 'done',
        (error: unknown) => error,
      );
    } finally {
      for (const command of Object.keys(answers)) server.answer(command);
    }
  };
  const failed = (code: number, name = 'Name') => ({ ok: 0, code, codeName: name, errmsg: `said ${code}` });

  it.each(codes)('error $name ($code) is of the kind in the table: $kind', async ({ code, name, kind }) => {
    const alone = await outcomeOf(() => notes().insertOne({ n: 1 }), { insert: failed(code, name) });
    const writeErrors = [{ index: 1, code, errmsg: `said ${code}` }];
    const inBulk = await outcomeOf(() => notes().insertMany([{ n: 1 }, { n: 2 }], { ordered: false }), {
      insert: { ok: 1, n: 1, writeErrors },
    });
    for (const error of [alone, inBulk]) {
      expect(isDuplicateKey(error)).toBe(kind === 'taken');
      if (kind !== 'taken') expect(error).toMatchObject({ name: 'SigcastError', code: edgeCode[kind] });
    }
    expect(duplicateWrites(inBulk)).toEqual(kind === 'taken' ? new Set([1]) : undefined);
  });

  it('an unknown error code or failure is an outage, and a retry may succeed', async () => {
    const code = 987_654;
    expect(serverErrors.has(code)).toBe(false);
    const unavailable = { code: 'SERVICE_UNAVAILABLE', retryable: true };
    expect(await outcomeOf(() => notes().insertOne({ n: 1 }), { insert: failed(code) })).toMatchObject(
      unavailable,
    );
    expect(await outcomeOf(() => notes().findOne({ n: 1 }), { find: failed(code) })).toMatchObject(
      unavailable,
    );
    expect(await outcomeOf(() => notes().insertOne({ n: 1 }), { insert: { ok: 0 } })).toMatchObject(
      unavailable,
    );
    expect(await outcomeOf(() => notes().insertOne({ n: 1 }))).toBe('done');
  });

  describe('writes that a majority has not confirmed', () => {
    const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['insertOne', () => notes().insertOne({ n: 1 })],
      ['insertMany', () => notes().insertMany([{ n: 1 }, { n: 2 }], { ordered: false })],
      ['updateOne', () => notes().updateOne({ n: 1 }, { $set: { n: 2 } })],
      ['updateMany', () => notes().updateMany({ n: 1 }, { $set: { n: 2 } })],
      ['an upsert', () => notes().updateOne({ n: 1 }, { $set: { n: 2 } }, { upsert: true })],
      ['deleteOne', () => notes().deleteOne({ n: 1 })],
      ['deleteMany', () => notes().deleteMany({ n: 1 })],
      ['findOneAndUpdate', () => notes().findOneAndUpdate({ n: 1 }, { $set: { n: 2 } })],
      [
        'bulkWrite',
        () =>
          notes().bulkWrite([{ updateOne: { filter: { n: 1 }, update: { $set: { n: 2 } } } }], {
            ordered: false,
          }),
      ],
      ['a model’s create', () => model().create({ n: 1 })],
      ['a model’s updateOne', () => model().updateOne({ n: 1 }, { $set: { n: 2 } })],
      ['a model’s findOneAndUpdate', () => model().findOneAndUpdate({ n: 1 }, { $set: { n: 2 } })],
      ['a model’s insertMany', () => model().insertMany([{ n: 1 }])],
      [
        'a model’s bulkWrite',
        () => model().bulkWrite([{ updateOne: { filter: { n: 1 }, update: { $set: { n: 2 } } } }]),
      ],
      ['createIndexes', () => notes().createIndexes([{ name: 'by_n', key: { n: 1 } }])],
    ];
    const commands = ['insert', 'update', 'delete', 'findAndModify', 'createIndexes'];
    const lagging = (code: number, name: string): Record<string, MongoReply> => {
      const writeConcernError = { code, codeName: name, errmsg: 'waiting for replication timed out' };
      const reply = { ok: 1, n: 1, nModified: 1, value: { n: 1 }, writeConcernError };
      return Object.fromEntries(commands.map((command) => [command, reply]));
    };

    it.each(writes)(
      '%s without confirmation by a majority is an outage, never a success',
      async (_, write) => {
        expect(await outcomeOf(write)).not.toBeInstanceOf(Error);
        for (const [code, name] of [
          [64, 'WriteConcernTimeout'],
          [100, 'UnsatisfiableWriteConcern'],
          [79, 'UnknownReplWriteConcern'],
          [11_000, 'a code that means something else on its own'],
        ] as const) {
          const error = await outcomeOf(write, lagging(code, name));
          expect(error).toMatchObject({ name: 'SigcastError', code: 'SERVICE_UNAVAILABLE', retryable: true });
        }
      },
    );

    it('a bulk with duplicate keys is an outage where its other writes may be lost', async () => {
      const insert = {
        ok: 1,
        n: 1,
        writeErrors: [{ index: 1, code: 11_000, errmsg: 'E11000' }],
        writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'timed out' },
      };
      const write = () => notes().insertMany([{ n: 1 }, { n: 2 }], { ordered: false });
      server.answer('insert', insert);
      const error: unknown = await write().catch((thrown: unknown) => thrown);
      server.answer('insert');
      expect(error).toMatchObject({ name: 'MongoBulkWriteError' });
      expect(isUnavailable(error)).toBe(true);
      expect(isDuplicateKey(error)).toBe(false);
      expect(duplicateWrites(error)).toBeUndefined();
      expect(refusedWrites(error)).toBeUndefined();
    });
  });

  it('a bulk with several errors counts as the one that a retry may resolve', async () => {
    const bulk = (...found: number[]) =>
      outcomeOf(() => notes().insertMany([{ n: 1 }, { n: 2 }], { ordered: false }), {
        insert: { ok: 1, n: 0, writeErrors: found.map((code, index) => ({ index, code, errmsg: 'said' })) },
      });
    expect(await bulk(11_000, 112)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await bulk(121, 112)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await bulk(11_000, 121)).toMatchObject({ code: 'INTERNAL_ERROR' });
    const duplicates = await bulk(11_000, 11_000);
    expect(duplicateWrites(duplicates)).toEqual(new Set([0, 1]));
    expect(await isInserted(() => Promise.reject(duplicates as Error))).toBe(false);
    const writeErrors = [11_000, 121].map((code, index) => ({ index, code, errmsg: 'said' }));
    const mixed = () => notes().insertMany([{ n: 1 }, { n: 2 }], { ordered: false });
    const insert = { insert: { ok: 1, n: 0, writeErrors } };
    expect(await outcomeOf(() => isInserted(mixed), insert)).toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it('a query with a hint of a missing index is an outage', async () => {
    const errmsg =
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index';
    const find = { ok: 0, code: 2, codeName: 'BadValue', errmsg };
    const read = () => notes().find({ n: 1 }).hint('by_n').toArray();
    expect(await outcomeOf(read, { find })).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('a call that the driver or the schema refuses to send is a fault', async () => {
    const circular: { n: number; text?: unknown } = { n: 1 };
    circular.text = circular;
    const calls: (() => Promise<unknown>)[] = [
      () => notes().insertOne(circular),
      () => notes().insertMany([circular], { ordered: false }),
      () => notes().updateOne({ n: 1 }, { n: 2 } as object),
      () => model().create({ n: 'no number' as unknown as number }),
      () => model().findOne({ n: { $gt: 'no number' as unknown as number } }),
      () => model().updateOne({ n: 1 }, { $set: { unknown: 1 } as object }),
    ];
    for (const call of calls) {
      const error = await outcomeOf(call);
      expect(error).toBeInstanceOf(SigcastError);
      expect(error).toMatchObject({
        code: 'INTERNAL_ERROR',
        retryable: false,
        message: 'Something went wrong on our side',
      });
    }
  });

  it.each([
    ['a socket that the other side has ended', { code: 'EPIPE' }],
    ['a connection reset', { code: 'ECONNRESET', syscall: 'read' }],
    ['a stream that was destroyed', { code: 'ERR_STREAM_DESTROYED' }],
    ['a TLS session that broke', { code: 'ERR_SSL_BAD_RECORD_TYPE' }],
    ['a call that was given up', { name: 'AbortError' }],
  ])('an error of Node is an outage: %s', (_, fields) => {
    const error = Object.assign(new Error('as Node made it'), fields);
    expect(translateMongoError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: error });
  });

  it('an error of another origin is left unchanged', () => {
    const own = new SigcastError('CONFLICT', 'domain');
    const typo = new TypeError('a bug');
    const argument = Object.assign(new TypeError('a bug'), { code: 'ERR_INVALID_ARG_TYPE' });
    for (const error of [own, typo, argument, undefined, 'text'])
      expect(translateMongoError(error)).toBe(error);
  });
});
