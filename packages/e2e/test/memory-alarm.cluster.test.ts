import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventTopology, type WebhookPayload } from '@sigcast/contracts';
import { openEngines, type RabbitmqNode } from '@sigcast/local';
import { eventually, type Receiver, startReceiver, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const scope = new AsyncDisposableStack();
const paths = ['/one', '/two'];
let node: RabbitmqNode;
let system: TestSystem;
let receiver: Receiver;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-alarm-'));
  scope.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const engines = await openEngines({ dataDir, ephemeral: true, report });
  const ports = await engines.ports(['mongodb', 'postgres', 'redis', 'amqp', 'distribution', 'epmd']);
  const mongo = engines.documentdb(ports);
  const redis = engines.redisNode({ name: 'redis', port: ports.redis });
  node = engines.rabbitmqNode({ name: 'rabbitmq', ports });
  for (const store of [mongo, redis, node]) {
    scope.defer(async () => {
      await store.kill();
      await store.removeData();
    });
  }
  await Promise.all([mongo, redis, node].map((store) => store.start()));
  const stack = testStack({ mongodbUri: mongo.url, redisUrl: redis.url, amqpUrl: node.url });
  system = scope.use(await testSystem({}, stack));
  receiver = scope.use(await startReceiver());
  for (const path of paths) {
    const body = JSON.stringify({ url: `${receiver.url}${path}`, events: ['signal.new'] });
    const { response } = await system.api('/v1/webhooks', { method: 'POST', body });
    expect(response.status).toBe(201);
  }
}, 300_000);
afterAll(() => scope.disposeAsync(), 60_000);

/** Writes signals, up to 25 at once. @returns their ids. */
async function write(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(25, count - ids.length) }, () => system.createSignal());
    ids.push(...(await Promise.all(some)));
  }
  return ids;
}

/** How many webhooks about each of these signals arrived, at all paths. */
function arrivals(ids: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { body } of receiver.requests) {
    const { id } = (JSON.parse(body.toString()) as WebhookPayload).data;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return ids.map((id) => counts.get(id) ?? 0);
}

const allArrived = (ids: readonly string[]) =>
  eventually(() => expect(arrivals(ids).filter((count) => count < paths.length)).toEqual([]), {
    timeoutMs: 120_000,
    everyMs: 200,
  });

/** The number of messages in each queue, including unacknowledged ones. */
async function messages(): Promise<ReadonlyMap<string, number>> {
  const list = await node.ctl('--silent', 'list_queues', '--formatter', 'json', 'name', 'messages');
  const queues = JSON.parse(list) as { name: string; messages: number }[];
  return new Map(queues.map(({ name, messages }) => [name, messages]));
}

const alarms = () => node.ctl('eval', 'rabbit_alarm:get_alarms().');
const connectionStates = () => node.ctl('--silent', 'list_connections', 'state');

it('during a memory alarm of the broker its backlog is delivered, events written meanwhile follow after the alarm, and each event comes once', async () => {
  const { fanout, bulkFanout } = eventTopology(system.stack.namespace);
  const first = await write(1);
  await allArrived(first);

  // The worker is paused, so that a backlog grows as it would before an alarm.
  const worker = system.processes['webhooks-worker'].pid ?? 0;
  process.kill(worker, 'SIGSTOP');
  scope.defer(() => void process.kill(worker, 'SIGCONT'));
  const backlog = await write(600);
  await eventually(async () => expect((await messages()).get(fanout.queue)).toBe(backlog.length));
  await node.ctl('set_vm_memory_high_watermark', '0.00000001');
  expect(await alarms()).toContain('memory');

  // The broker blocks a connection at the next publish, and may accept that message (RabbitMQ: Blocked Connections).
  const trigger = await write(1);
  await eventually(async () => expect(await connectionStates()).toContain('blocked'));
  const late = await write(20);
  process.kill(worker, 'SIGCONT');
  await allArrived(backlog);
  expect(await alarms()).toContain('memory');
  expect(arrivals(late)).toEqual(late.map(() => 0));

  await node.ctl('set_vm_memory_high_watermark', 'absolute', '1GB');
  await allArrived([...trigger, ...late]);
  for (const queue of [fanout.queue, bulkFanout.queue, fanout.parked, bulkFanout.parked]) {
    await eventually(async () => expect((await messages()).get(queue) ?? 0).toBe(0));
  }
  const all = [...first, ...backlog, ...trigger, ...late];
  expect(arrivals(all)).toEqual(all.map(() => paths.length));
  expect(receiver.requests).toHaveLength(all.length * paths.length);
});
