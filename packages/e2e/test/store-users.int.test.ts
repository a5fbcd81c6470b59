// The users of the services at RabbitMQ and Redis, as the local system makes them; containers and Kubernetes use the same data.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountTopology, type BoundQueue, eventTopology, webhookTopology } from '@sigcast/contracts';
import {
  type BackingServices,
  type BrokerUser,
  brokerUsers,
  type RedisUser,
  redisUsers,
  startBackingServices,
  thisMachine,
} from '@sigcast/local';
import {
  accountDeclarations,
  type DeclareTopology,
  eventDeclarations,
  webhookDeclarations,
} from '@sigcast/messaging';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const resources = new AsyncDisposableStack();
let stores: BackingServices;
const connections = new Map<BrokerUser, ChannelModel>();

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-users-'));
  stores = await startBackingServices({
    dataDir,
    env: { MONGODB_URI: 'mongodb://127.0.0.1:1/' },
    report: () => undefined,
    machine: { ...thisMachine(), dockerAnswers: async () => false },
  });
  resources.defer(async () => {
    await stores.stop();
    for (const store of [stores.redis, stores.rabbitmq]) await store.removeData();
  });
  for (const user of brokerUsers) {
    const model = await connect(stores.rabbitmq.urlOf(user));
    resources.defer(() => model.close());
    connections.set(user, model);
  }
}, 120_000);
afterAll(() => resources.disposeAsync());

/** Runs one operation on a channel of its own. @returns `done`, or the broker's code of the refusal. */
async function attempt(user: BrokerUser, work: (channel: Channel) => Promise<unknown>): Promise<unknown> {
  const channel = await connections.get(user)?.createConfirmChannel();
  if (channel === undefined) throw new Error(`no connection of ${user}`);
  const refused = new Promise<number>((resolve) => {
    channel.on('error', (error: { code: number }) => resolve(error.code));
  });
  try {
    await work(channel);
    return 'done';
  } catch (error) {
    return (error as { code?: number }).code ?? (await refused);
  } finally {
    await channel.close().catch(() => undefined);
  }
}

const publish = (exchange: string, routingKey: string) => async (channel: Channel) => {
  channel.publish(exchange, routingKey, Buffer.from('{}'));
  await (channel as Awaited<ReturnType<ChannelModel['createConfirmChannel']>>).waitForConfirms();
};

const { exchange: signalEvents, ...eventQueues } = eventTopology();
const { exchange: accountEvents, ...accountQueues } = accountTopology();
const { exchange: webhookNotices, ...noticeQueues } = webhookTopology();
/** The service that consumes each queue: a new one is a type error here, and is tried below by itself. */
const consumers: Record<keyof typeof eventQueues, BrokerUser> = {
  stats: 'stats',
  fanout: 'webhooks',
  bulkFanout: 'webhooks',
  tracker: 'tracker',
};
const queues = [
  ...(Object.keys(eventQueues) as (keyof typeof eventQueues)[]).map((name) => ({
    queue: eventQueues[name] as BoundQueue,
    from: signalEvents,
    publisher: 'signals' as BrokerUser,
    consumer: consumers[name],
  })),
  ...Object.values(accountQueues).map((queue) => ({
    queue: queue as BoundQueue,
    from: accountEvents,
    publisher: 'gateway' as BrokerUser,
    consumer: 'webhooks' as BrokerUser,
  })),
  ...Object.values(noticeQueues).map((queue) => ({
    queue: queue as BoundQueue,
    from: webhookNotices,
    publisher: 'webhooks' as BrokerUser,
    consumer: 'gateway' as BrokerUser,
  })),
];

const onDebian = thisMachine().isDebianRoot() ? describe : describe.skip;

onDebian('at RabbitMQ', () => {
  it('each publisher declares its exchange, and all queues behind it', async () => {
    const declared = (user: BrokerUser, declare: DeclareTopology) =>
      expect(attempt(user, (channel) => declare(channel))).resolves.toBe('done');
    for (const declare of eventDeclarations(eventTopology())) await declared('signals', declare);
    for (const declare of accountDeclarations(accountTopology())) await declared('gateway', declare);
    for (const declare of webhookDeclarations(webhookTopology())) await declared('webhooks', declare);
  });

  it.each(brokerUsers)(
    '%s reaches its own exchanges and queues, and is refused at all others and at the default exchange',
    async (user) => {
      const expected: Record<string, unknown> = {};
      const found: Record<string, unknown> = {};
      const check = async (what: string, isOwn: boolean, work: (channel: Channel) => Promise<unknown>) => {
        expected[what] = isOwn ? 'done' : 403;
        found[what] = await attempt(user, work);
      };
      for (const [exchange, publisher] of [
        [signalEvents, 'signals'],
        [accountEvents, 'gateway'],
        [webhookNotices, 'webhooks'],
      ] as const) {
        await check(`publish to ${exchange}`, user === publisher, publish(exchange, 'none'));
        await check(`declare ${exchange}`, user === publisher, (channel) =>
          channel.assertExchange(exchange, 'topic'),
        );
        if (user !== publisher)
          await check(`delete ${exchange}`, false, (channel) => channel.deleteExchange(exchange));
      }
      for (const { queue, publisher, consumer } of queues) {
        const isOwn = user === publisher || user === consumer;
        for (const name of [queue.queue, queue.parked]) {
          await check(`publish to ${queue.queue} for ${name}`, isOwn, publish(queue.queue, name));
          await check(`publish to the default exchange for ${name}`, false, publish('', name));
          await check(`take from ${name}`, isOwn, (channel) => channel.get(name));
          await check(`consume ${name}`, isOwn, (channel) => channel.consume(name, () => undefined));
          if (isOwn) await check(`inspect ${name}`, true, (channel) => channel.checkQueue(name));
          await check(`purge ${name}`, isOwn, (channel) => channel.purgeQueue(name));
          if (user !== publisher)
            await check(`delete ${name}`, false, (channel) => channel.deleteQueue(name));
        }
        await check(`bind ${queue.queue}`, isOwn, (channel) =>
          channel.bindQueue(queue.queue, queue.queue, queue.queue),
        );
      }
      for (const name of ['another.queue', 'stats.facts2', 'x.signals.events', 'amq.topic'])
        await check(`declare ${name}`, false, (channel) => channel.assertQueue(name));
      expect(found).toEqual(expected);
    },
    60_000,
  );
});

onDebian('at Redis', () => {
  /** Keys of each user, as its program names them. */
  const keys: Readonly<Record<string, readonly RedisUser[]>> = {
    '{acct_1}:windows': ['gateway', 'operator'],
    '{acct_1}:session-windows': ['gateway'],
    '{acct_1}:streams': ['gateway'],
    '{address:127.0.0.1}:window': ['gateway'],
    'market:dexscreener': ['tracker-poller', 'scanner'],
    'probe:0': redisUsers,
    another: [],
  };

  it.each(redisUsers)(
    '%s reads and writes its own keys, also in scripts, and no others, lists none, and changes nothing of the server',
    async (user) => {
      const commands = Object.entries(keys).flatMap(([key, users]) => {
        const isOwn = users.includes(user);
        const script = `"return redis.call('SET', KEYS[1], '1')"`;
        return [`SET ${key} 1`, `GET ${key}`, `EVAL ${script} 1 ${key}`, `DEL ${key}`].map(
          (command) => [command, isOwn] as const,
        );
      });
      const forbidden = [
        'KEYS *',
        'SCAN 0',
        'FLUSHALL',
        'CONFIG GET *',
        'ACL LIST',
        'PUBLISH a b',
        'MONITOR',
      ];
      const all = [...commands, ...forbidden.map((command) => [command, false] as const)];
      const answers = await redis(
        stores.redis.urlOf(user),
        all.map(([command]) => command),
      );
      expect(all.map(([command], n) => [command, answers[n]?.startsWith('-NOPERM')])).toEqual(
        all.map(([command, isOwn]) => [command, !isOwn]),
      );
    },
  );

  it('nobody gets in without a password', async () => {
    expect(await redis(stores.redis.url.replace(/\/\/.*@/, '//'), ['PING'])).toEqual([
      expect.stringContaining('-NOAUTH'),
    ]);
  });
});

/** Sends commands one after the other. @returns their answers. */
async function redis(url: string, commands: readonly string[]): Promise<string[]> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connectTcp(Number(port), hostname);
  const answers: string[] = [];
  const signIn = username ? [`AUTH ${username} ${password}`] : [];
  try {
    for (const command of [...signIn, ...commands]) {
      socket.write(`${command}\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      answers.push(answer.toString());
    }
  } finally {
    socket.destroy();
  }
  return answers.slice(signIn.length);
}
