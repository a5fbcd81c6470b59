import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventTopology } from '@sigcast/contracts';
import { openEngines, type RabbitmqNode } from '@sigcast/local';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type Broker,
  connectBroker,
  eventDeclarations,
  inspectQueue,
  isRefusedByQueue,
  messagesReady,
  UnprocessableMessage,
} from '../src/index.ts';
import { messageTo } from './fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const resources = new AsyncDisposableStack();
let node: RabbitmqNode;
let url: string;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-bound-'));
  resources.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const engines = await openEngines({ dataDir, ephemeral: true, report });
  const ports = await engines.ports(['amqp', 'distribution', 'epmd']);
  node = engines.rabbitmqNode({ name: 'bounded', ports });
  resources.defer(async () => {
    await node.kill();
    await node.removeData();
  });
  await node.start();
  url = `amqp://guest:guest@127.0.0.1:${ports.amqp}`;
}, 180_000);
afterAll(() => resources.disposeAsync());

const topology = eventTopology();
const open = (scope: AsyncDisposableStack): Promise<Broker> =>
  connectBroker({ urls: [url], name: 'test', declare: eventDeclarations(topology) }, silentLogger(), scope);
const bound = (length: number) =>
  node.ctl('set_policy', 'bounded', '.*', JSON.stringify({ 'max-length': length }), '--apply-to', 'queues');
/** Publishes to a queue until it refuses, and returns how many messages it then holds. */
const fill = async (broker: Broker, queue: string): Promise<number> => {
  for (let n = 0; ; n++) {
    try {
      await broker.publish(messageTo(queue, `${n}`));
    } catch (error) {
      expect(isRefusedByQueue(error)).toBe(true);
      return (await messagesReady(broker, [queue])).get(queue) ?? 0;
    }
    expect(n).toBeLessThan(1_000);
  }
};

it('the bound of a queue is in place where the local stack starts a broker', async () => {
  const policies = await node.ctl('--silent', 'list_operator_policies');
  expect(policies).toContain('{"max-length-bytes":1073741824}');
});

it('the bound of a queue applies to existing queues, which services declare as before, and can be removed', async () => {
  const { queue } = topology.stats;
  await using scope = new AsyncDisposableStack();
  const before = await open(scope);
  await before.publish(messageTo(queue, 'before'));
  await bound(10);
  await using later = new AsyncDisposableStack();
  const after = await open(later);
  expect(after.connected).toBe(true);
  const held = await eventually(async () => {
    const messages = await fill(after, queue);
    expect(messages).toBeLessThan(50);
    return messages;
  });
  expect(held).toBeGreaterThanOrEqual(10);
  await node.ctl('clear_policy', 'bounded');
  await eventually(() => after.publish(messageTo(queue, 'more')));
});

it('a message that a full parking queue refuses stays in its queue, and is parked when there is room again', async () => {
  const { queue, parked } = topology.fanout;
  await using scope = new AsyncDisposableStack();
  const broker = await open(scope);
  await bound(10);
  await eventually(() => fill(broker, parked));
  const full = (await messagesReady(broker, [parked])).get(parked) ?? 0;
  let calls = 0;
  await broker.publish(messageTo(queue, 'unreadable'));
  const consumer = await broker.consume({
    queue,
    parked,
    prefetch: 1,
    handle: async () => {
      calls++;
      throw new UnprocessableMessage('it is unreadable');
    },
  });
  await eventually(() => expect(calls).toBeGreaterThan(2));
  expect(await inspectQueue(broker, parked)).toMatchObject({ messages: full });
  await broker.withChannel((channel) => channel.purgeQueue(parked));
  await eventually(async () => expect(await inspectQueue(broker, parked)).toMatchObject({ messages: 1 }));
  await consumer.close();
  expect(await inspectQueue(broker, queue)).toMatchObject({ messages: 0 });
});
