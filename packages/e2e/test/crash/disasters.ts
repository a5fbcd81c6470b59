import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { accountTopology, eventTopology, webhookTopology } from '@sigcast/contracts';
import type { BackingServices, ProcessName } from '@sigcast/local';
import { eventually, type TcpProxy } from '@sigcast/testing';
import { connect, type Replies } from 'amqplib';
import type { TestSystem } from '../system.ts';
import type { Ledger } from './ledger.ts';

const execute = promisify(execFile);
const operatorEntry = fileURLToPath(new URL('../../../../services/signals/src/operator.ts', import.meta.url));

/** The disasters, and how many processes each of them kills with SIGKILL. */
export const killsOf = {
  'kill signals': 1,
  'kill worker': 1,
  'kill worker during an attempt': 1,
  'kill both': 2,
  'kill stats': 1,
  'kill tracker': 1,
  'stop broker': 0,
  'kill broker': 1,
  'delete queues': 0,
  // The broker has not yet saved where the last queue's data is, so that queue comes back empty.
  'kill broker with new queues': 1,
  'wipe broker': 2,
  'wipe broker, kill the new one': 3,
  'slow link to the broker': 0,
  // Stopped, not killed: a kill breaks the development engine's indexes ("right sibling of RUM page is of different type").
  'stop store': 0,
} as const;
export type DisasterName = keyof typeof killsOf;
export const disasterNames = Object.keys(killsOf) as DisasterName[];

export type DisasterSite = {
  readonly system: TestSystem;
  readonly backing: BackingServices;
  /** The proxy between the services and the broker. */
  readonly brokerLink: TcpProxy;
  readonly ledger: Ledger;
  readonly random: () => number;
};

/** Lets a disaster happen. Resolves when the processes that it ended run again. */
export async function disaster(name: DisasterName, site: DisasterSite): Promise<void> {
  const { system, backing, ledger, random } = site;
  const again = async (...names: ProcessName[]) => {
    await Promise.all(names.map((process) => system.processes[process].kill('SIGKILL')));
    await Promise.all(names.map((process) => system.processes[process].start()));
  };
  const away = () => delay(random() * 1_000);
  switch (name) {
    case 'kill signals':
      return again('signals');
    case 'kill worker':
      return again('webhooks-worker');
    case 'kill worker during an attempt':
      await Promise.race([ledger.nextRequest(), delay(2_000)]);
      return again('webhooks-worker');
    case 'kill both':
      return again('signals', 'webhooks-worker');
    case 'kill stats':
      return again('stats');
    case 'kill tracker':
      return again('tracker');
    case 'stop broker':
      await backing.rabbitmq.stop();
      await away();
      return backing.rabbitmq.start();
    case 'kill broker':
      await backing.rabbitmq.kill();
      await away();
      return backing.rabbitmq.start();
    case 'delete queues':
      await deleteQueues(site);
      return refillQueues(site);
    case 'kill broker with new queues':
      await deleteQueues(site);
      await killNewBroker(site);
      return refillQueues(site);
    case 'wipe broker':
      await wipe(site);
      return refillQueues(site);
    case 'wipe broker, kill the new one':
      await wipe(site);
      await killNewBroker(site);
      return refillQueues(site);
    case 'slow link to the broker':
      return slowLink(site);
    case 'stop store':
      await backing.mongo.stop();
      await away();
      return backing.mongo.start();
  }
}

/** The names of all queues that the system uses. */
export function queuesOf({ system }: Pick<DisasterSite, 'system'>): string[] {
  const { stats, fanout, bulkFanout, tracker } = eventTopology(system.stack.namespace);
  const { webhooks: accounts } = accountTopology(system.stack.namespace);
  const { gateway: notices } = webhookTopology(system.stack.namespace);
  return [
    stats.queue,
    stats.parked,
    fanout.queue,
    fanout.parked,
    bulkFanout.queue,
    tracker.queue,
    tracker.parked,
    accounts.queue,
    accounts.parked,
    notices.queue,
    notices.parked,
  ];
}

/** The delay in each direction, in milliseconds: an answer takes 1.1 s longer. */
const slowLinkMs = 550;

/** Breaks the connections to the broker, so that clients reconnect over a slow network. @throws when a queue was deleted meanwhile. */
async function slowLink(site: DisasterSite): Promise<void> {
  const model = await connect(site.backing.amqpUrl);
  model.on('error', () => undefined); // requests on the connection are rejected as well
  try {
    const channel = await model.createChannel();
    channel.on('error', () => undefined); // requests on the channel are rejected as well
    const queues = queuesOf(site);
    await eventually(() => checkQueues(site, queues), { timeoutMs: 20_000 });
    // The broker deletes an auto-delete exchange together with the queue bound to it, even if the queue is declared again.
    const markOf = (queue: string) => `${queue}.slow-link`;
    for (const queue of queues) {
      await channel.assertExchange(markOf(queue), 'fanout', { durable: true, autoDelete: true });
      await channel.bindQueue(queue, markOf(queue), '');
    }
    site.brokerLink.delay(slowLinkMs);
    site.brokerLink.cut();
    await eventually(() => consumed(site), { timeoutMs: 90_000, everyMs: 500 });
    await delay(site.random() * 5_000);
    for (const queue of queues) {
      await channel.checkExchange(markOf(queue));
      await channel.deleteExchange(markOf(queue));
    }
  } finally {
    site.brokerLink.delay(0);
    await model.close();
  }
}

async function wipe(site: DisasterSite): Promise<void> {
  const { system, backing } = site;
  if (backing.rabbitmq.how !== 'debian') return deleteQueues(site);
  // Without a consumer the queues fill, so that messages are lost with them.
  await system.processes['webhooks-worker'].kill('SIGKILL');
  await delay(1_000);
  await backing.rabbitmq.kill();
  await backing.rabbitmq.removeData();
  await backing.rabbitmq.start();
  return system.processes['webhooks-worker'].start();
}

/** Kills the broker as soon as all queues exist, and starts it. Resolves when the queues are consumed again. */
async function killNewBroker(site: DisasterSite): Promise<void> {
  const { rabbitmq } = site.backing;
  const all = queuesOf(site);
  await eventually(() => checkQueues(site, all), { timeoutMs: 20_000 });
  await rabbitmq.kill();
  await rabbitmq.start();
  await eventually(() => consumed(site), { timeoutMs: 30_000, everyMs: 500 });
}

/** @throws when a queue has no consumer. */
async function consumed(site: DisasterSite): Promise<void> {
  const { stats, fanout, bulkFanout } = eventTopology(site.system.stack.namespace);
  for (const { queue, consumerCount } of await checkQueues(site, [
    stats.queue,
    fanout.queue,
    bulkFanout.queue,
  ])) {
    if (consumerCount === 0) throw new Error(`nobody consumes from ${queue}`);
  }
}

/** The state of each queue. @throws when one of the queues does not exist. */
async function checkQueues(site: DisasterSite, queues: readonly string[]): Promise<Replies.AssertQueue[]> {
  const model = await connect(site.backing.amqpUrl);
  model.on('error', () => undefined); // requests on the connection are rejected as well
  try {
    const channel = await model.createChannel();
    channel.on('error', () => undefined); // requests on the channel are rejected as well
    const found: Replies.AssertQueue[] = [];
    for (const queue of queues) found.push(await channel.checkQueue(queue));
    return found;
  } finally {
    await model.close();
  }
}

/** Does what the alert QueueLost asks an operator for. @throws when a loss was not noted. */
async function refillQueues({ system: { stack } }: DisasterSite): Promise<void> {
  const env = {
    ...process.env,
    MONGODB_URI: stack.mongodbUri,
    MONGODB_DATABASE: stack.database('signals'),
    AMQP_URL: stack.amqpUrl,
    BROKER_NAMESPACE: stack.namespace,
  };
  const queues = async (...args: string[]): Promise<string> => {
    const { stdout } = await execute(process.execPath, [operatorEntry, 'queues', ...args], { env });
    return stdout;
  };
  const { stats, fanout, bulkFanout, tracker } = eventTopology(stack.namespace);
  const lost = [stats, fanout, bulkFanout, tracker].map(({ queue }) => queue);
  await eventually(
    async () => {
      const shown = await queues('show');
      for (const queue of lost)
        if (!shown.includes(`${queue}  lost`)) throw new Error(`the loss of ${queue} is not noted: ${shown}`);
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  // As an operator does while the broker, which has just started, does not answer.
  for (const queue of lost)
    await eventually(() => queues('refill', queue), { timeoutMs: 60_000, everyMs: 500 });
}

async function deleteQueues(site: DisasterSite): Promise<void> {
  const model = await connect(site.backing.amqpUrl);
  const channel = await model.createChannel();
  for (const queue of queuesOf(site)) await channel.deleteQueue(queue);
  await model.close();
}
