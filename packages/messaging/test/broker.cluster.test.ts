import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type EventLoad, startEventLoad } from './event-load.ts';
import { keptLog } from './fixture.ts';
import { type ClusterNode, type RabbitmqCluster, startRabbitmqCluster } from './rabbitmq-cluster.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 }); // nodes take seconds to start
const patient = { timeoutMs: 120_000, everyMs: 100 };

let cluster: RabbitmqCluster;
beforeAll(async () => {
  cluster = await startRabbitmqCluster({ report: (line) => process.stderr.write(`${line}\n`) });
}, 180_000);
afterAll(async () => cluster?.[Symbol.asyncDispose](), 60_000);

let load: EventLoad;
let lines: readonly unknown[];
/** The messages that each of the load's queues must hold at the end: those that are parked before a test, and no others. */
let parked: Readonly<Record<string, number>>;

beforeEach(async () => {
  const kept = keptLog();
  lines = kept.lines;
  load = await startEventLoad({ urls: cluster.urls }, kept.log);
  const { stats, fanout, bulkFanout, tracker } = load.topology;
  for (const { parked: queue } of [stats, fanout, tracker]) {
    for (const messageId of ['1', '2', '3'])
      await load.publisher.publish({
        exchange: '',
        routingKey: queue,
        messageId,
        body: Buffer.from('parked'),
      });
  }
  parked = {
    [stats.queue]: 0,
    [stats.parked]: 3,
    [bulkFanout.queue]: 0,
    [fanout.queue]: 0,
    [fanout.parked]: 3,
    [tracker.queue]: 0,
    [tracker.parked]: 3,
  };
});
afterEach(async () => load?.[Symbol.asyncDispose]());

/** Resolves with events that were published after now, when they are confirmed. */
const isConfirmed = async (): Promise<readonly string[]> => {
  const from = load.confirmed.length;
  await eventually(() => expect(load.confirmed.length).toBeGreaterThan(from + 40), patient);
  return load.confirmed.slice(from + 20);
};
/** Resolves when events that were published after now are confirmed and consumed. */
const flows = async () => {
  const ids = await isConfirmed();
  await eventually(() => expect(unconsumed(ids)).toEqual([]), patient);
};
const unconsumed = (ids: readonly string[]) =>
  load.consumed.flatMap(({ queue, ids: found }) =>
    ids.filter((id) => !found.has(id)).map((id) => `${queue}: ${id}`),
  );
const nothingIsLost = async () => {
  await load.stop();
  await eventually(() => expect(unconsumed(load.confirmed)).toEqual([]), patient);
  const prefix = load.topology.exchange.slice(0, -'signals.events'.length);
  const whole = Object.entries(parked).map(([queue, messages]) => [queue, { messages, online: 3 }]);
  await eventually(
    async () => expect(await cluster.queues(prefix)).toEqual(Object.fromEntries(whole)),
    patient,
  );
};
/** Has `disaster` happen to each node, one at a time, and checks that nothing is lost. */
const oneAtATime = async (disaster: (node: ClusterNode) => Promise<void>) => {
  for (const node of cluster.nodes) {
    await disaster(node);
    await flows();
  }
  await nothingIsLost();
};

it('a cluster of three nodes under load loses nothing and keeps every queue while one node at a time is stopped', () =>
  oneAtATime(async ({ node }) => {
    await node.stop();
    await flows();
    await node.start();
  }));

it('a cluster of three nodes under load loses nothing and keeps every queue while one node at a time is killed', () =>
  oneAtATime(async ({ node }) => {
    await node.kill();
    await flows();
    await node.start();
  }));

it('a cluster of three nodes under load loses nothing and keeps every queue while clients are cut off silently from one node at a time', () =>
  oneAtATime(async ({ proxy }) => {
    proxy.hang();
    await flows();
    proxy.restore();
  }));

it('a cluster of three nodes under load loses nothing and keeps every queue while one node at a time takes 1.1 s longer to hear and to answer', () =>
  oneAtATime(async ({ proxy }) => {
    proxy.delay(1_100);
    proxy.cut(); // clients connect again, at this speed
    await flows();
    proxy.delay(0);
  }));

it('a cluster of three nodes under load loses nothing and keeps every queue while one node at a time neither answers clients nor other nodes', () =>
  oneAtATime(async (node) => {
    await node.freeze();
    await flows();
    node.thaw();
  }));

it('a cluster of three nodes under load loses nothing and keeps every queue while one node at a time is cut off from the others, but not from clients', () =>
  oneAtATime(async (node) => {
    node.isolate();
    await isConfirmed();
    node.rejoin();
  }));

it('a cluster of three nodes under load waits without haste while two nodes of three are away for 12 s, says so, and loses nothing', async () => {
  await flows();
  const [left, ...away] = cluster.nodes;
  if (!left) throw new Error('no nodes');
  await cluster.rememberQueues();
  await Promise.all(away.map(({ node }) => node.kill()));
  const madeBefore = left.proxy.made;
  const linesBefore = lines.length;
  await delay(12_000);
  // Each of six connections is tried at most once a second; the number of log lines does not grow with the tries.
  expect(left.proxy.made - madeBefore).toBeLessThan(6 * 12);
  expect(lines.length - linesBefore).toBeLessThan(20);
  await expect(load.publisher.checkUsable()).rejects.toThrow();
  await Promise.all(away.map(({ node }) => node.start()));
  await flows();
  await nothingIsLost();
  await load.publisher.checkUsable();
});
