import { eventTopology, identityHeader, type Statistics, signalTypes } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventMessage } from '@sigcast/messaging';
import {
  addressOf,
  eventually,
  type ServiceProcess,
  spawnService,
  type TestStack,
  testKeyPair,
  testStack,
} from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runOperator } from '../src/operator/run.ts';
import { eventOf, type Revision } from './events.ts';
import { openBroker } from './fixture.ts';
import { recount } from './recount.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const entry = new URL('../src/main.ts', import.meta.url).pathname;

describe('the service as a process', () => {
  const keys = testKeyPair();
  const token = identitySigner(
    'gateway',
    keys.privateKey,
    'stats',
  )({ subject: 'acct_1', scopes: [], ttlS: 600 });
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  beforeAll(() => {
    stack = testStack();
    resources = new AsyncDisposableStack();
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const start = (settings: Readonly<Record<string, string>> = {}): ServiceProcess =>
    spawnService(entry, {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database('stats'),
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
      GATEWAY_PUBLIC_KEYS: keys.publicKey,
      PORT: '0',
      ...settings,
    });

  const figures = async (url: string): Promise<Statistics> => {
    const response = await fetch(`${url}/v1/stats`, { headers: { [identityHeader]: token } });
    return ((await response.json()) as { data: Statistics }).data;
  };

  it('tells operators how many messages wait and are parked, which they list, requeue and drop', async () => {
    const broker = await openBroker(stack, resources);
    const { queue, parked } = eventTopology(stack.namespace).stats;
    const service = start({ METRICS_PORT: '0' });
    const url = await addressOf(service, 'metrics');
    await broker.publish({ exchange: '', routingKey: queue, messageId: 'one', body: Buffer.from('{') });
    await broker.publish({ exchange: '', routingKey: queue, messageId: 'two', body: Buffer.from('[') });
    const gauge = async (name: string) => {
      const text = await (await fetch(url)).text();
      const metric = name === parked ? 'sigcast_queue_parked_messages' : 'sigcast_queue_messages';
      return new RegExp(`^${metric}{queue="${name}",service="stats"} (\\d+)`, 'm').exec(text)?.[1];
    };
    await eventually(async () => expect(await gauge(parked)).toBe('2'));
    expect(await gauge(queue)).toBe('0');
    await service.kill('SIGTERM');

    const env = { AMQP_URL: stack.amqpUrl, BROKER_NAMESPACE: stack.namespace };
    const operator = async (...args: string[]) => {
      const out: string[] = [];
      const print = { out: (line: string) => void out.push(line), err: () => undefined };
      await runOperator(['parked', ...args, '--json'], env, { ...print, progress: process.stderr });
      return JSON.parse(out.join('\n')) as object;
    };
    expect(await operator('list')).toMatchObject({
      messages: [
        { id: 'one', queue, body: '{', reason: expect.stringContaining('not JSON') },
        { id: 'two', queue, body: '[' },
      ],
    });
    expect(await operator('drop', '--id', 'one')).toEqual({ dropped: 1 });
    expect(await operator('requeue', '--id', 'two')).toEqual({ requeued: 1 });
    expect(await operator('list')).toEqual({ messages: [] });
    const back = await broker.withChannel((channel) => channel.get(queue, { noAck: true }));
    expect(back ? back.content.toString() : back).toBe('[');
    expect(await broker.withChannel((channel) => channel.checkQueue(parked))).toMatchObject({
      messageCount: 0,
    });
  });

  it('loses and doubles nothing when it is killed again and again while events flow', async () => {
    const broker = await openBroker(stack, resources);
    const { exchange } = eventTopology(stack.namespace);
    const createdAtMs = Date.now() - 3_600_000;
    const history = Array.from({ length: 900 }, (_, n): Revision => {
      const signal = n % 300;
      const rev = 1 + Math.floor(n / 300);
      const type = signalTypes[signal % signalTypes.length] ?? 'new';
      const status = rev === 3 && signal % 4 === 0 ? 'winner' : 'active';
      return { signal, type, status, roi: (signal * 37 + rev * 1_001) % 20_000, createdAtMs, rev };
    });
    const flow = (from: number, to: number) =>
      Promise.all(
        history.slice(from, to).map((revision) => broker.publish(eventMessage(exchange, eventOf(revision)))),
      );

    for (const round of [0, 1, 2]) {
      await using service = start();
      const url = await addressOf(service);
      const before = await figures(url);
      const published = flow(round * 300, (round + 1) * 300);
      // In the middle of it: as soon as the first of these events show.
      await eventually(async () => expect((await figures(url)).avg_roi).not.toBe(before.avg_roi), {
        everyMs: 1,
      });
      await service.kill('SIGKILL');
      await published;
    }

    await using service = start();
    const url = await addressOf(service);
    await eventually(async () => {
      const { as_of, ...found } = await figures(url);
      const { as_of: _same, ...expected } = recount(history, { period: 'all', nowMs: Date.parse(as_of) });
      expect(found).toEqual(expected);
    });
    await service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  it('does not start with wrong settings, and names every one of them', async () => {
    await using service = start({ PORT: 'http', AMQP_URL: 'localhost', GATEWAY_PUBLIC_KEYS: '' });
    expect(await service.exited).toBe(78);
    for (const name of ['PORT', 'AMQP_URL', 'GATEWAY_PUBLIC_KEYS']) expect(service.output()).toContain(name);
  });

  it('serves without a broker, and says that it is away', async () => {
    await using service = start({
      AMQP_URL: 'amqp://127.0.0.1:1',
      MONGODB_DATABASE: stack.database('alone'),
    });
    const url = await addressOf(service);
    expect(await figures(url)).toMatchObject({ total_signals: 0 });
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });
});
