import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SigcastError } from '@sigcast/contracts';
import { createLogger, silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy, type TestStack, testStack } from '@sigcast/testing';
import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  connectMongo,
  ensureIndexes,
  type IndexSpec,
  isDuplicateKey,
  isUnavailable,
  pingMongo,
  startIndexes,
  storeCall,
  translateMongoError,
} from '../src/index.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('the store', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let database: string;
  let connection: Connection;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    database = stack.database('mongo');
    connection = await connectMongo({ uri: stack.mongodbUri, database }, silentLogger(), resources);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const throughProxy = async (scope: AsyncDisposableStack) => {
    const { hostname, port } = new URL(stack.mongodbUri);
    const proxy = scope.use(await startTcpProxy({ host: hostname, port: Number(port || 27_017) }));
    const uri = proxy.through(stack.mongodbUri);
    return { proxy, frail: await connectMongo({ uri, database }, silentLogger(), scope) };
  };

  it('missing indexes are created and existing ones kept, however many services start at once', async () => {
    const indexes: IndexSpec[] = [
      { name: 'by_name', key: { name: 1 }, unique: true },
      { name: 'by_age', key: { age: -1 } },
    ];
    const ensure = (count: number) => ensureIndexes(connection, 'people', indexes.slice(0, count));
    await ensure(1);
    await Promise.all([ensure(2), ensure(2), ensure(2)]);
    await ensure(0);
    const found = await connection.collection('people').indexes();
    expect(found.map(({ name }) => name).sort()).toEqual(['_id_', 'by_age', 'by_name']);
  });

  it('a service starts although an index of the same name differs, or a unique index finds duplicate values', async () => {
    await using scope = new AsyncDisposableStack();
    const lines: string[] = [];
    const log = createLogger({ service: 'test', destination: { write: (line) => lines.push(line) } });
    await ensureIndexes(connection, 'older', [{ name: 'by_name', key: { name: 1 } }]);
    await connection.collection('twice').insertMany([{ mail: 'a@example.com' }, { mail: 'a@example.com' }]);
    const plan = {
      older: [
        { name: 'by_name', key: { name: 1, age: -1 } },
        { name: 'by_age', key: { age: -1 } },
      ],
      twice: [{ name: 'by_mail', key: { mail: 1 }, unique: true }],
    } as const;
    await startIndexes(connection, plan, log, scope);
    const refusals = lines.filter((line) => line.includes('MongoDB refuses to create an index'));
    expect(refusals.map((line) => (JSON.parse(line) as { collection: string }).collection).sort()).toEqual([
      'older',
      'twice',
    ]);
  });

  it('a query with a hint of a missing index fails as unavailable', async () => {
    const read = () => connection.collection('hinted').find({ n: 1 }).hint('by_n').toArray();
    await connection.collection('hinted').insertOne({ n: 1 });
    await expect(storeCall(read)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await ensureIndexes(connection, 'hinted', [{ name: 'by_n', key: { n: 1 } }]);
    expect(await read()).toHaveLength(1);
  });

  it('a duplicate key is distinguished from every other error', async () => {
    const accounts = connection.collection('accounts');
    await ensureIndexes(connection, 'accounts', [{ name: 'by_mail', key: { mail: 1 }, unique: true }]);
    await accounts.insertOne({ mail: 'a@example.com' });
    const taken: unknown = await accounts
      .insertOne({ mail: 'a@example.com' })
      .catch((error: unknown) => error);
    expect(isDuplicateKey(taken)).toBe(true);
    expect(isUnavailable(taken)).toBe(false);
    expect(translateMongoError(taken)).toBe(taken);
    const wrong: unknown = await accounts.updateOne({}, { $nonsense: {} }).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(Error);
    expect(isDuplicateKey(wrong)).toBe(false);
    expect(isUnavailable(wrong)).toBe(false);
    expect(isDuplicateKey(undefined)).toBe(false);
  });

  it.concurrent('every call fails as unavailable while the store is away, by driver and by model, and succeeds when it is back', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, frail } = await throughProxy(scope);
    const model = frail.model('Note', new Schema({ text: String }), 'notes');
    const calls: (() => Promise<unknown>)[] = [
      () => frail.collection('notes').insertOne({ text: 'driver' }),
      () => frail.collection('notes').insertMany([{ text: 'bulk' }], { ordered: false }),
      () => model.updateOne({ text: 'model' }, { $set: { text: 'model' } }, { upsert: true }),
      () => model.findOne({ text: 'model' }),
      () => model.aggregate([{ $match: { text: 'model' } }]),
    ];
    for (const call of calls) await storeCall(call);
    proxy.refuse();
    proxy.cut();
    // The first calls meet broken connections, later ones find no server. Both errors are the same to a caller.
    for (const round of [1, 2]) {
      for (const call of calls) {
        const error: unknown = await storeCall(call).then(
          () => `answered in round ${round}`,
          (failure: unknown) => failure,
        );
        expect(error).toBeInstanceOf(SigcastError);
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
      }
    }
    await expect(pingMongo(frail)).rejects.toThrow();
    proxy.restore();
    await eventually(() => pingMongo(frail));
    for (const call of calls) await storeCall(call);
  });

  it('a call in progress fails when its connection breaks', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, frail } = await throughProxy(scope);
    proxy.hang();
    const pending = storeCall(() => frail.collection('notes').insertOne({ text: 'lost' }));
    const failure = expect(pending).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    proxy.refuse();
    proxy.cut();
    await failure;
  });

  it('a call on a connection that is just being closed does not hang, and later calls succeed', async () => {
    await using scope = new AsyncDisposableStack();
    const sockets = new Set<Socket>();
    const onSocket = (message: unknown) => sockets.add((message as { socket: Socket }).socket);
    subscribe('net.client.socket', onSocket);
    scope.defer(() => void unsubscribe('net.client.socket', onSocket));
    const { frail } = await throughProxy(scope);
    for (let round = 0; round < 3; round++) {
      await frail.collection('notes').findOne({});
      // The driver does not know yet that its sockets are closed: they emit `close` in a later turn of the event loop.
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await Promise.allSettled([1, 2, 3].map((n) => frail.collection('notes').insertOne({ n })));
      await eventually(() => pingMongo(frail));
    }
  });

  it.concurrent('a read of a store that freezes fails before the gateway gives up, after 10 seconds', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, frail } = await throughProxy(scope);
    // Right after a check of the server it takes longest to notice.
    await once(frail.getClient(), 'serverHeartbeatSucceeded');
    proxy.hang();
    const startedAt = performance.now();
    await expect(storeCall(() => frail.collection('notes').findOne({}))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it.concurrent('a readiness check fails within three seconds while the store hangs', async () => {
    await using scope = new AsyncDisposableStack();
    const { proxy, frail } = await throughProxy(scope);
    await pingMongo(frail);
    proxy.hang();
    const startedAt = performance.now();
    await expect(pingMongo(frail)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    proxy.restore();
    await eventually(() => pingMongo(frail));
  });

  it.concurrent('connecting fails within five seconds where no store listens', async () => {
    await using scope = new AsyncDisposableStack();
    const startedAt = performance.now();
    const uri = 'mongodb://127.0.0.1:1/?directConnection=true';
    await expect(connectMongo({ uri, database }, silentLogger(), scope)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
