import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, silentLogger } from '@sigcast/runtime';
import {
  eventually,
  type MongoReply,
  type ScriptedMongo,
  startScriptedMongo,
  testAuthority,
} from '@sigcast/testing';
import { Schema } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { connectMongo, noTimeLimit, pingMongo, storeCall } from '../src/index.ts';

const database = 'scripted';
const majority = { w: 'majority', j: true, wtimeout: 5_000 };

/** A log whose lines a test reads, as text and as objects. */
function readableLog() {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', destination: { write: (line) => lines.push(line) } });
  return { log, lines, told: (text: string) => lines.filter((line) => line.includes(text)) };
}

describe('connecting to MongoDB', () => {
  const named = (server: ScriptedMongo, name: string) =>
    server.commands.filter((command) => Object.keys(command)[0] === name);

  it.concurrent('every command asks for majority and journal, majority reads, and the Stable API', async () => {
    await using scope = new AsyncDisposableStack();
    const server = scope.use(await startScriptedMongo());
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    const connection = await connectMongo({ uri, database }, silentLogger(), scope);
    const notes = connection.collection('notes');
    await notes.insertOne({ n: 1 });
    await notes.bulkWrite([{ deleteOne: { filter: { n: 1 } } }], { ordered: false });
    await notes.updateMany({ n: 1 }, { $set: { n: 2 } });
    await notes.findOneAndUpdate({ n: 1 }, { $set: { n: 2 } });
    await notes.createIndexes([{ name: 'by_n', key: { n: 1 } }]);
    await notes.find({}).toArray();
    await notes.countDocuments({});
    const stable = { apiVersion: '1', apiStrict: true, apiDeprecationErrors: true };
    const written = ['insert', 'delete', 'update', 'findAndModify', 'createIndexes'];
    for (const name of written) {
      expect(named(server, name)).toEqual([expect.objectContaining({ ...stable, writeConcern: majority })]);
    }
    for (const name of ['find', 'aggregate']) {
      const readConcern = { level: 'majority' };
      expect(named(server, name)).toEqual([expect.objectContaining({ ...stable, readConcern })]);
    }
  });

  it.concurrent('every query ends after ten seconds, of models and collections, unless it says another time; an operator’s never', async () => {
    await using scope = new AsyncDisposableStack();
    const server = scope.use(await startScriptedMongo());
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    const connection = await connectMongo({ uri, database }, silentLogger(), scope);
    const notes = connection.collection('notes');
    const some = { n: 1 };
    await notes.find(some).toArray();
    await notes.findOne(some);
    await notes.countDocuments(some);
    await notes.distinct('n', some);
    await notes.updateOne(some, { $set: some });
    await notes.updateMany(some, { $set: some }, { hint: 'by_n' });
    await notes.deleteMany(some);
    await notes.findOneAndUpdate(some, { $set: some });
    await notes.bulkWrite([{ deleteOne: { filter: some } }], { ordered: false });
    const model = connection.model('Note', new Schema({ n: Number }), 'notes');
    await model.find(some).lean();
    await model.updateMany(some, { $set: some });
    const looking = ['find', 'aggregate', 'distinct', 'update', 'delete', 'findAndModify'];
    const queries = () => looking.flatMap((name) => named(server, name));
    expect(queries()).toHaveLength(11);
    for (const query of queries()) expect(query).toMatchObject({ maxTimeMS: 10_000 });
    await notes.find(some, { maxTimeMS: 7 }).toArray();
    await model.find(some).maxTimeMS(8).lean();
    expect(named(server, 'find').slice(-2)).toMatchObject([{ maxTimeMS: 7 }, { maxTimeMS: 8 }]);
    const unlimited = { uri, database, queryTimeMs: noTimeLimit };
    await (await connectMongo(unlimited, silentLogger(), scope)).collection('notes').findOne(some);
    expect(named(server, 'find').at(-1)).toMatchObject({ maxTimeMS: 0 });
  });

  it.concurrent('the driver finds the primary among several servers, and sends reads there, too', async () => {
    await using scope = new AsyncDisposableStack();
    const members: ScriptedMongo[] = [];
    const set = () => ({
      setName: 'rs0',
      setVersion: 1,
      hosts: members.map(({ port }) => `127.0.0.1:${port}`),
    });
    const secondary = { isWritablePrimary: false, secondary: true };
    members.push(scope.use(await startScriptedMongo({ hello: () => ({ ...set(), ...secondary }) })));
    members.push(scope.use(await startScriptedMongo({ hello: set })));
    const [follower, primary] = members as [ScriptedMongo, ScriptedMongo];
    const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const uri = `mongodb://${hosts}/?replicaSet=rs0`;
    const connection = await connectMongo({ uri, database }, silentLogger(), scope);
    await connection.collection('notes').insertOne({ n: 1 });
    await connection.collection('notes').findOne({ n: 1 });
    // The driver numbers writes, so that a retry is not written a second time.
    expect(named(primary, 'insert')).toEqual([expect.objectContaining({ txnNumber: expect.anything() })]);
    expect(named(primary, 'find')).toHaveLength(1);
    expect(follower.commands).toEqual([]);
  });

  it.concurrent('a URI may name a Unix socket', async () => {
    await using scope = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'mongo-socket-'));
    scope.defer(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'mongodb-27017.sock');
    scope.use(await startScriptedMongo({ path }));
    const uri = `mongodb://${encodeURIComponent(path)}/?directConnection=true`;
    await pingMongo(await connectMongo({ uri, database }, silentLogger(), scope));
  });

  it.concurrent('a connection is encrypted with a given authority, and refused without, with the reason', async () => {
    await using scope = new AsyncDisposableStack();
    const authority = await testAuthority();
    const server = scope.use(await startScriptedMongo({ tls: await authority.issue('127.0.0.1') }));
    const uri = `mongodb://user:hunter2@127.0.0.1:${server.port}/?directConnection=true&authMechanism=PLAIN`;
    await pingMongo(await connectMongo({ uri, database, ca: authority.ca }, silentLogger(), scope));
    const { log, lines } = readableLog();
    const stranger = await testAuthority();
    for (const settings of [
      { uri: `${uri}&tls=true`, database },
      { uri, database, ca: stranger.ca },
    ]) {
      const error: unknown = await connectMongo(settings, log, scope).catch((thrown: unknown) => thrown);
      log.fatal({ err: error }, "can't start");
      expect(String(error)).toMatch(/^Error: MongoDB can't be used: TLS was refused \([A-Z_]+\)$/);
    }
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('hunter2');
  });

  it.concurrent('a wrong password is refused with the reason', async () => {
    await using scope = new AsyncDisposableStack();
    const server = scope.use(await startScriptedMongo());
    server.answer('saslStart', refusal);
    const uri = `mongodb://user:hunter2@127.0.0.1:${server.port}/?directConnection=true`;
    const { log, lines } = readableLog();
    const error: unknown = await connectMongo({ uri, database }, log, scope).catch(
      (thrown: unknown) => thrown,
    );
    log.fatal({ err: error }, "can't start");
    expect(String(error)).toBe(
      "Error: MongoDB can't be used: the server refuses the user name, password or rights (AuthenticationFailed)",
    );
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('hunter2');
  });

  it.concurrent('a running service that is refused logs it once, is not ready meanwhile, and logs when access works again', async () => {
    await using scope = new AsyncDisposableStack();
    const server = scope.use(await startScriptedMongo());
    const done: MongoReply = { conversationId: 1, done: true, payload: Buffer.alloc(0), ok: 1 };
    server.answer('saslStart', done);
    const uri = `mongodb://user:hunter2@127.0.0.1:${server.port}/?directConnection=true&authMechanism=PLAIN`;
    const { log, lines, told } = readableLog();
    const connection = await connectMongo({ uri, database }, log, scope);
    await pingMongo(connection);
    server.answer('saslStart', refusal);
    server.cut();
    for (let call = 0; call < 5; call++) {
      await eventually(() => expect(pingMongo(connection)).rejects.toThrow());
      await expect(storeCall(() => connection.collection('notes').findOne({}))).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
    }
    await eventually(() => expect(told('the server refuses the user name')).toHaveLength(1));
    server.answer('saslStart', done);
    await eventually(() => pingMongo(connection));
    expect(told('the server refuses the user name')).toHaveLength(1);
    expect(told('the server grants access again')).toHaveLength(1);
    expect(lines.join()).not.toContain('hunter2');
  });
});

const refusal: MongoReply = {
  ok: 0,
  code: 18,
  codeName: 'AuthenticationFailed',
  errmsg: 'Authentication failed.',
};
