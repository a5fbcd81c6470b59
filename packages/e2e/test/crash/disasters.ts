import { setTimeout as delay } from 'node:timers/promises';
import { eventTopology } from '@sigcast/contracts';
import type { BackingServices, ProcessName } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { connect, type Replies } from 'amqplib';
import type { TestSystem } from '../system.ts';
import type { Ledger } from './ledger.ts';

/** What can happen, and how many processes it kills with SIGKILL. */
export const killsOf = {
  'kill signals': 1,
  'kill worker': 1,
  'kill worker during an attempt': 1,
  'kill both': 2,
  'stop broker': 0,
  'kill broker': 1,
  'delete queues': 0,
  // The broker has not saved yet where the last queue's data is: that one comes back empty.
  'kill broker with new queues': 1,
  'wipe broker': 2,
  'wipe broker, kill the new one': 3,
  // Not killed: the development engine's indexes do not survive it ("right sibling of RUM page is of different type").
  'stop store': 0,
} as const;
export type DisasterName = keyof typeof killsOf;
export const disasterNames = Object.keys(killsOf) as DisasterName[];

export type DisasterSite = {
  readonly system: TestSystem;
  readonly backing: BackingServices;
  readonly ledger: Ledger;
  readonly random: () => number;
};

/** Lets one happen, and returns when what was ended runs again. */
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
    case 'stop broker':
      await backing.rabbitmq.stop();
      await away();
      return backing.rabbitmq.start();
    case 'kill broker':
      await backing.rabbitmq.kill();
      await away();
      return backing.rabbitmq.start();
    case 'delete queues':
      return deleteQueues(site);
    case 'kill broker with new queues':
      await deleteQueues(site);
      return killNewBroker(site);
    case 'wipe broker':
      return wipe(site);
    case 'wipe broker, kill the new one':
      await wipe(site);
      return killNewBroker(site);
    case 'stop store':
      await backing.mongo.stop();
      await away();
      return backing.mongo.start();
  }
}

/** The names of all queues that the system uses. */
export function queuesOf({ system }: Pick<DisasterSite, 'system'>): string[] {
  const { stats, fanout, bulkFanout } = eventTopology(system.stack.namespace);
  return [stats.queue, stats.parked, fanout.queue, fanout.parked, bulkFanout.queue];
}

async function wipe(site: DisasterSite): Promise<void> {
  const { system, backing } = site;
  if (backing.rabbitmq.how !== 'debian') return deleteQueues(site);
  // Nobody takes anything out any more while signals go on being written: the queues are lost full.
  await system.processes['webhooks-worker'].kill('SIGKILL');
  await delay(1_000);
  await backing.rabbitmq.kill();
  await backing.rabbitmq.removeData();
  await backing.rabbitmq.start();
  return system.processes['webhooks-worker'].start();
}

/** Kills it as soon as all queues are there, and returns when they are consumed from again. */
async function killNewBroker(site: DisasterSite): Promise<void> {
  const { rabbitmq } = site.backing;
  const all = queuesOf(site);
  await eventually(() => lookAt(site, all), { timeoutMs: 20_000 });
  await rabbitmq.kill();
  await rabbitmq.start();
  const { stats, fanout, bulkFanout } = eventTopology(site.system.stack.namespace);
  const consumed = [stats.queue, fanout.queue, bulkFanout.queue];
  const haveConsumers = async () => {
    for (const { queue, consumerCount } of await lookAt(site, consumed)) {
      if (consumerCount === 0) throw new Error(`nobody consumes from ${queue}`);
    }
  };
  await eventually(haveConsumers, { timeoutMs: 30_000, everyMs: 500 });
}

/** @throws when one of the queues is not there. */
async function lookAt(site: DisasterSite, queues: readonly string[]): Promise<Replies.AssertQueue[]> {
  const model = await connect(site.backing.amqpUrl);
  model.on('error', () => undefined); // what was asked is rejected as well
  try {
    const channel = await model.createChannel();
    channel.on('error', () => undefined); // it rejects what was asked as well
    const found: Replies.AssertQueue[] = [];
    for (const queue of queues) found.push(await channel.checkQueue(queue));
    return found;
  } finally {
    await model.close();
  }
}

async function deleteQueues(site: DisasterSite): Promise<void> {
  const model = await connect(site.backing.amqpUrl);
  const channel = await model.createChannel();
  for (const queue of queuesOf(site)) await channel.deleteQueue(queue);
  await model.close();
}
