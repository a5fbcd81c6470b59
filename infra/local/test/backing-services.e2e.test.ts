import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@sigcast/testing';
import { connect as connectAmqp } from 'amqplib';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { cacheDir } from '../src/debian/cache-dir.ts';
import type { BackingServices } from '../src/index.ts';
import { answers } from '../src/probe.ts';
import { commandOf } from '../src/system/process-table.ts';
import {
  canStartInstances,
  descendants,
  isRunning,
  machine,
  removeTemporaryDirs,
  start,
  startMongo,
  startTimeoutMs,
  temporaryDir,
  within20s,
} from './support.ts';

afterAll(removeTemporaryDirs);

const onDebian = canStartInstances ? describe : describe.skip;
const givenUrls = {
  MONGODB_URI: 'mongodb://db.example/',
  REDIS_URL: 'redis://r.example',
  AMQP_URL: 'amqp://q.example',
};

async function insert(services: BackingServices, id: string): Promise<void> {
  const connection = await mongoose.createConnection(services.mongodbUri).asPromise();
  await connection.db?.collection<{ _id: string }>('kept').insertOne({ _id: id });
  await connection.close();
}

async function ids(services: BackingServices): Promise<string[]> {
  const connection = await mongoose.createConnection(services.mongodbUri).asPromise();
  const found = (await connection.db?.collection<{ _id: string }>('kept').find().toArray()) ?? [];
  await connection.close();
  return found.map(({ _id }) => _id);
}

/** Publishes to a quorum queue, and returns when the broker has the message. */
async function send(services: BackingServices, text: string): Promise<void> {
  const connection = await connectAmqp(services.amqpUrl);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue('q', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  channel.sendToQueue('q', Buffer.from(text), { persistent: true });
  await channel.waitForConfirms();
  await connection.close();
}

/** The messages of that queue, once there are `count`. They stay in the queue. */
async function received(services: BackingServices, count: number): Promise<string[]> {
  const connection = await connectAmqp(services.amqpUrl);
  const channel = await connection.createChannel();
  const found: string[] = [];
  await channel.consume('q', (message) => found.push(String(message?.content)), { noAck: false });
  await eventually(() => expect(found.length).toBeGreaterThanOrEqual(count), within20s);
  await connection.close();
  return found;
}

/** Sends a command to Redis, and checks the beginning of the answer. */
async function expectRedis(services: BackingServices, command: string, answer: string): Promise<void> {
  const { port, username, password } = new URL(services.redisUrl);
  const signIn = '+OK\r\n';
  let got = '';
  await answers(Number(port), `AUTH ${username} ${password}\r\n${command}\r\n`, (data) => {
    got = data.toString();
    return got.length > signIn.length;
  });
  expect(got.slice(0, signIn.length + answer.length)).toBe(signIn + answer);
}

describe('addresses that are given', () => {
  it('are used as they are, and nothing is started', async () => {
    const services = await start({ env: givenUrls, machine: machine({ isDebianRoot: () => false }) });
    expect(services).toMatchObject({
      how: 'given',
      mongodbUri: givenUrls.MONGODB_URI,
      redisUrl: givenUrls.REDIS_URL,
      amqpUrl: givenUrls.AMQP_URL,
    });
    await expect(services.redis.stop()).rejects.toThrow('was not started here');
    await services.stop();
  });

  it('are named in the error, beside the other ways, where nothing can be started', async () => {
    const env = { REDIS_URL: givenUrls.REDIS_URL };
    const refused = start({ env, machine: machine({ isDebianRoot: () => false }) });
    await expect(refused).rejects.toThrow(
      /mongo, rabbitmq.*MONGODB_URI, AMQP_URL.*Docker engine.*root on Debian or Ubuntu/s,
    );
  });
});

onDebian('private instances', () => {
  it(
    'are started only for services without an address, on loopback only, and keep data and addresses over a stop and a start',
    async () => {
      const dataDir = temporaryDir();
      const first = await startMongo({ dataDir, ephemeral: false });
      expect(first.mongo).toMatchObject({ how: 'debian', owned: true });
      expect(first.redis).toMatchObject({ how: 'given', owned: false });
      await expect(startMongo({ dataDir })).rejects.toThrow('Another process is using');
      const { hostname, port } = new URL(first.mongodbUri);
      const hex = Number(port).toString(16).toUpperCase().padStart(4, '0');
      const listening = readFileSync('/proc/net/tcp', 'utf8') + readFileSync('/proc/net/tcp6', 'utf8');
      expect(hostname).toBe('127.0.0.1');
      expect(listening).toContain(`0100007F:${hex}`);
      expect(listening).not.toContain(`00000000:${hex}`);
      await insert(first, 'kept');
      await first.stop();
      const second = await startMongo({ dataDir, ephemeral: false });
      expect(second.mongodbUri).toBe(first.mongodbUri);
      expect(await ids(second)).toEqual(['kept']);
      await second.stop();

      const other = createServer().listen(Number(port), '127.0.0.1');
      const elsewhere = await startMongo({ dataDir, ephemeral: false });
      expect(elsewhere.mongodbUri).not.toBe(first.mongodbUri);
      await elsewhere.stop();
      other.close();
    },
    startTimeoutMs,
  );

  it(
    'start again on the same port, with their data, when any of their processes is killed',
    async () => {
      const others = new Set(descendants(process.pid).map(({ pid }) => pid));
      const said: string[] = [];
      const services = await start({
        ephemeral: false,
        keepRunning: true,
        dataDir: temporaryDir(),
        report: (line) => said.push(line),
      });
      await insert(services, 'kept');
      await expectRedis(services, 'SET kept yes', '+OK');
      await send(services, 'kept');
      // RabbitMQ 4.3 loses a queue's data when it is killed within a second of the queue's declaration, unless it was stopped.
      await services.rabbitmq.stop();
      await services.rabbitmq.start();
      const programs = ['bin/postgres -D', 'documentdb/main.ts', 'redis-server', 'beam.smp', 'epmd -address'];
      for (const program of programs) {
        said.splice(0);
        const own = descendants(process.pid).filter(({ pid }) => !others.has(pid));
        const killed = own.find(({ pid }) => commandOf(pid).includes(program));
        process.kill(killed?.pid ?? 0, 'SIGKILL');
        const isReady = () => expect(said).toContainEqual(expect.stringContaining(' ready in '));
        await eventually(isReady, { timeoutMs: 60_000 }); // as long as an engine may take
        expect(said[0]).toMatch(
          /^ {2}(mongo|redis|rabbitmq) ended \(.*: signal SIGKILL\); starting it again$/,
        );
        expect(await ids(services)).toEqual(['kept']);
        await expectRedis(services, 'GET kept', '$3\r\nyes');
        expect(await received(services, 1)).toEqual(['kept']);
      }
      await services.stop();
    },
    startTimeoutMs,
  );

  it(
    'leave no process and no data of a test behind when stopped, and take less than 8 s',
    async () => {
      const before = new Set(descendants(process.pid).map(({ pid }) => pid));
      const dataDir = temporaryDir();
      const services = await start({ dataDir });
      const started = descendants(process.pid).filter(({ pid }) => !before.has(pid));
      expect(started.length).toBeGreaterThan(5);
      const stoppedAt = Date.now();
      await services.stop();
      expect(Date.now() - stoppedAt).toBeLessThan(8_000);
      await eventually(() => expect(started.filter(isRunning)).toEqual([]), within20s);
      expect(existsSync(dataDir)).toBe(false);
    },
    startTimeoutMs,
  );

  it(
    'are all stopped when one of them fails to start, and the error shows the end of its log',
    async () => {
      const dataDir = temporaryDir();
      const before = new Set(descendants(process.pid).map(({ pid }) => pid));
      mkdirSync(join(dataDir, 'rabbitmq'));
      writeFileSync(join(dataDir, 'rabbitmq', 'data'), 'not a directory');
      await expect(start({ dataDir, ephemeral: false })).rejects.toThrow(/RabbitMQ .*Last lines of/s);
      await eventually(() => {
        expect(descendants(process.pid).filter(({ pid }) => !before.has(pid))).toEqual([]);
      }, within20s);
    },
    startTimeoutMs,
  );

  it(
    'work where mounting is forbidden, and leave nothing in the shared file tree',
    async () => {
      const inTrees = () =>
        readdirSync(cacheDir())
          .map((entry) => join(cacheDir(), entry, 'srv'))
          .flatMap((kept) => (existsSync(kept) ? readdirSync(kept) : []));
      const before = inTrees();
      const services = await startMongo({ machine: machine({ mayMount: () => false }) });
      await insert(services, 'here');
      expect(await ids(services)).toEqual(['here']);
      await services.stop();
      expect(inTrees()).toEqual(before);
    },
    startTimeoutMs,
  );
});
