import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngines, type RabbitmqNode } from '@sigcast/local';
import type { Logger } from '@sigcast/runtime';
import { eventually, type TestAuthority, testAuthority } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Broker, type BrokerAddresses, connectBroker } from '../src/index.ts';
import { keptLog, type LogLine } from './fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const resources = new AsyncDisposableStack();
let authority: TestAuthority;
let node: RabbitmqNode;
let ports: { readonly amqp: number; readonly amqps: number };
let lines: readonly LogLine[];
let log: Logger;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-access-'));
  resources.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const engines = await openEngines({ dataDir, ephemeral: true, report });
  const { distribution, epmd, ...free } = await engines.ports(['amqp', 'amqps', 'distribution', 'epmd']);
  ports = free;
  authority = await testAuthority();
  const { cert, key } = await authority.issue('127.0.0.1');
  node = engines.rabbitmqNode({
    name: 'secured',
    ports: { amqp: ports.amqp, distribution, epmd },
    files: { 'ca.pem': authority.ca, 'cert.pem': cert, 'key.pem': key },
    configuration: (dir) => [
      `listeners.ssl.1 = 127.0.0.1:${ports.amqps}`,
      `ssl_options.cacertfile = ${dir}/ca.pem`,
      `ssl_options.certfile = ${dir}/cert.pem`,
      `ssl_options.keyfile = ${dir}/key.pem`,
    ],
  });
  resources.defer(async () => {
    await node.kill();
    await node.removeData();
  });
  await node.start();
  await node.ctl('add_user', 'service', 'first-pa55word');
  await node.ctl('set_permissions', 'service', '.*', '.*', '.*');
}, 180_000);
afterAll(() => resources.disposeAsync());
beforeEach(() => {
  ({ lines, log } = keptLog());
});

const open = (addresses: BrokerAddresses, scope: AsyncDisposableStack): Promise<Broker> =>
  connectBroker(
    {
      ...addresses,
      name: 'test',
      declare: [async (channel) => void (await channel.assertQueue('access'))],
    },
    log,
    scope,
  );
const publish = (broker: Broker) =>
  broker.publish({ exchange: '', routingKey: 'access', messageId: '1', body: Buffer.from('x') });
const url = (protocol: 'amqp' | 'amqps', password: string) =>
  `${protocol}://service:${password}@127.0.0.1:${ports[protocol]}`;
const said = (text: string) => lines.filter(({ msg }) => msg === text);

it('a broker whose certificate is issued by the given authority is connected to by TLS, with a heartbeat of 10 s', async () => {
  await using scope = new AsyncDisposableStack();
  const broker = await open({ urls: [url('amqps', 'first-pa55word')], ca: authority.ca }, scope);
  await publish(broker);
  const connections = await node.ctl('--silent', 'list_connections', 'ssl_protocol', 'timeout');
  expect(connections.trim().split('\n')).toEqual(['tlsv1.3\t10', 'tlsv1.3\t10']);
});

it('a broker with a certificate of another authority is not connected to, and that is logged once', async () => {
  for (const ca of [(await testAuthority()).ca, undefined]) {
    await using scope = new AsyncDisposableStack();
    ({ lines, log } = keptLog());
    const broker = await open({ urls: [url('amqps', 'first-pa55word')], ca }, scope);
    expect(broker.connected).toBe(false);
    expect(said('broker: no connection yet')).toMatchObject([
      { host: `127.0.0.1:${ports.amqps}`, reason: expect.stringMatching(/certificate/) },
    ]);
  }
});

it('a process stays ready when its broker password is changed, and never logs the password', async () => {
  await using scope = new AsyncDisposableStack();
  const broker = await open({ urls: [url('amqp', 'first-pa55word')] }, scope);
  await node.ctl('change_password', 'service', 'second-pa55word');
  await publish(broker); // open connections stay
  await node.ctl('close_all_user_connections', 'service', 'test');
  await eventually(() => {
    expect(said('broker: user or password refused')).toMatchObject([
      { level: 'error', user: 'service', host: `127.0.0.1:${ports.amqp}` },
    ]);
  });
  await broker.checkCredentials();
  await expect(broker.checkUsable()).rejects.toThrow('no connection');

  await node.ctl('change_password', 'service', 'first-pa55word');
  await eventually(() => publish(broker));
  expect(JSON.stringify(lines)).not.toContain('pa55word');
});

it('a process is not ready until its broker password has been accepted once', async () => {
  await using scope = new AsyncDisposableStack();
  const broker = await open({ urls: [url('amqp', 'third-pa55word')] }, scope);
  await expect(broker.checkCredentials()).rejects.toThrow('refuses user or password');
  await node.ctl('change_password', 'service', 'third-pa55word');
  await eventually(() => broker.checkCredentials());
  await eventually(() => publish(broker));
  expect(said('broker: user or password refused')).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain('pa55word');
});

it('a broker that is short of memory blocks publishing alone: consumers go on, and no connection is replaced', async () => {
  await using scope = new AsyncDisposableStack();
  await node.ctl('change_password', 'service', 'first-pa55word');
  const queue = 'short-of-memory';
  const broker = await connectBroker(
    {
      urls: [url('amqp', 'first-pa55word')],
      name: 'test',
      declare: [async (channel) => void (await channel.assertQueue(queue))],
    },
    log,
    scope,
  );
  const send = (id: string) =>
    broker.publish({ exchange: '', routingKey: queue, messageId: id, body: Buffer.from(id) });
  const before = Array.from({ length: 50 }, (_, i) => `before ${i}`);
  await Promise.all(before.map(send));

  await node.ctl('set_vm_memory_high_watermark', '0.00000001');
  await using alarm = new AsyncDisposableStack();
  alarm.defer(async () => void (await node.ctl('set_vm_memory_high_watermark', '0.6')));
  // The broker says that it blocks a connection when something is published on it (RabbitMQ: Blocked Connections).
  await expect(send('first')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await expect(broker.checkUsable()).rejects.toThrow('blocked');
  const startedAt = performance.now();
  await expect(send('second')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(performance.now() - startedAt).toBeLessThan(1_000);

  const consumed: string[] = [];
  await broker.consume({ queue, prefetch: 10, handle: async ({ id }) => void consumed.push(id) });
  await eventually(() => expect(consumed).toEqual(expect.arrayContaining(before)));
  await alarm.disposeAsync();
  await eventually(() => send('after'));
  await eventually(() => expect(consumed).toContain('after'));
  await broker.checkUsable();
  expect(said('broker: publishing is blocked')).toHaveLength(1);
  expect(said('broker: connection lost')).toEqual([]);
});
