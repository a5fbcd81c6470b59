import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brokerName, eventTopology } from '@sigcast/contracts';
import type { BackingServices, ProcessName } from '@sigcast/local';
import { connect } from 'amqplib';
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
  'wipe broker': 2,
  // Not killed: the development engine's indexes do not survive it ("right sibling of RUM page is of different type").
  'stop store': 0,
} as const;
export type DisasterName = keyof typeof killsOf;
export const disasterNames = Object.keys(killsOf) as DisasterName[];

export type DisasterSite = {
  readonly system: TestSystem;
  readonly backing: BackingServices;
  readonly backingDir: string;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** The waiting queues' names, without namespace. */
  readonly waitingQueues: readonly string[];
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
    case 'wipe broker':
      if (backing.rabbitmq.how !== 'debian') return deleteQueues(site);
      // Nobody takes anything out any more while signals go on being written: the queues are lost full.
      await system.processes['webhooks-worker'].kill('SIGKILL');
      await delay(1_000);
      await backing.rabbitmq.kill();
      rmSync(join(site.backingDir, 'rabbitmq', 'mnesia'), { recursive: true, force: true });
      await backing.rabbitmq.start();
      return system.processes['webhooks-worker'].start();
    case 'stop store':
      await backing.mongo.stop();
      await away();
      return backing.mongo.start();
  }
}

/** The names of all queues that the system uses. */
export function queuesOf({
  system,
  waitingQueues,
}: Pick<DisasterSite, 'system' | 'waitingQueues'>): string[] {
  const { namespace } = system.stack;
  const { stats, fanout } = eventTopology(namespace);
  const own = ['webhooks.deliveries', ...waitingQueues].map((name) => brokerName(namespace, name));
  return [stats.queue, stats.parked, fanout.queue, fanout.parked, ...own];
}

async function deleteQueues(site: DisasterSite): Promise<void> {
  const model = await connect(site.backing.amqpUrl);
  const channel = await model.createChannel();
  for (const queue of queuesOf(site)) await channel.deleteQueue(queue);
  await model.close();
}
