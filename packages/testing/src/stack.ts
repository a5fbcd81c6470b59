import { randomBytes } from 'node:crypto';
import { accountTopology, brokerName, eventTopology, webhookTopology } from '@sigcast/contracts';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { createConnection } from 'mongoose';
import { backingAddresses } from './config.ts';

/** Real backing services with unique names, so that test files do not see each other's data. */
export type TestStack = {
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly amqpUrl: string;
  /** The prefix of the names of all exchanges and queues. */
  readonly namespace: string;
  /** The prefix of all Redis keys. */
  readonly redisKeyPrefix: string;
  /** A unique name for a database, which is dropped at the end. */
  database(name: string): string;
  /** Names a queue (without namespace) to delete at the end, besides those of signal events. */
  ownQueues(...names: string[]): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The addresses of backing services. */
export type BackingAddresses = Pick<TestStack, 'mongodbUri' | 'redisUrl' | 'amqpUrl'>;

/** New, empty stores on running backing services. Default: those of the test run. Dispose the stack in `afterAll`. */
export function testStack(
  { mongodbUri, redisUrl, amqpUrl }: BackingAddresses = backingAddresses(),
): TestStack {
  const addresses = { mongodbUri, redisUrl, amqpUrl };
  const namespace = `t${randomBytes(6).toString('hex')}`;
  const databases = new Set<string>();
  const queues = new Set<string>();
  return {
    ...addresses,
    namespace,
    redisKeyPrefix: `${namespace}:`,
    database: (name) => {
      const database = `${namespace}_${name}`;
      databases.add(database);
      return database;
    },
    ownQueues: (...names) => {
      for (const name of names) queues.add(brokerName(namespace, name));
    },
    [Symbol.asyncDispose]: async () => {
      await dropDatabases(addresses.mongodbUri, [...databases]);
      await deleteBrokerObjects(addresses.amqpUrl, namespace, [...queues]);
      await deleteKeys(addresses.redisUrl, `${namespace}:*`);
    },
  };
}

async function dropDatabases(uri: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const connection = await createConnection(uri).asPromise();
  for (const name of names) await connection.useDb(name).dropDatabase();
  await connection.close();
}

async function deleteBrokerObjects(url: string, namespace: string, queues: readonly string[]): Promise<void> {
  const model = await connect(url);
  const channel = await model.createChannel();
  const { exchange, stats, fanout, bulkFanout, tracker } = eventTopology(namespace);
  const events = [stats, fanout, bulkFanout, tracker].flatMap(({ queue, parked }) => [queue, parked]);
  const { exchange: accounts, webhooks } = accountTopology(namespace);
  const { exchange: notices, gateway } = webhookTopology(namespace);
  const own = [webhooks, gateway].flatMap(({ queue, parked }) => [queue, parked]);
  for (const name of [...new Set(events), ...own, ...queues]) {
    await channel.deleteQueue(name);
    await channel.deleteExchange(name);
  }
  await channel.deleteExchange(exchange);
  await channel.deleteExchange(accounts);
  await channel.deleteExchange(notices);
  await model.close();
}

async function deleteKeys(url: string, pattern: string): Promise<void> {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: pattern, count: 1_000 })) {
    if ((keys as string[]).length > 0) await redis.del(keys as string[]);
  }
  redis.disconnect();
}
