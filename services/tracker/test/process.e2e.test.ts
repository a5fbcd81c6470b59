import { createBacktestSchema, eventTopology, identityHeader, type SignalHistory } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventMessage } from '@sigcast/messaging';
import { newId } from '@sigcast/runtime';
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
import { createBacktest } from '../src/domain/backtest/job.ts';
import { mongoBacktestHistory } from '../src/store/mongo-backtest-history.ts';
import { mongoBacktests, mongoBacktestWork } from '../src/store/mongo-backtests.ts';
import { eventOf, signalId } from './events.ts';
import { openBroker, openMongo } from './fixture.ts';
import { recount } from './recount.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const entry = new URL('../src/main.ts', import.meta.url).pathname;
const minuteMs = 60_000;
/** Lately: the process thins what is older than 30 days. */
const createdMs = Date.now() - 6 * 3_600_000;
const signals = [1, 2, 3];
const revisions = 150;

describe('the service as a process', () => {
  const keys = testKeyPair();
  const token = identitySigner(
    'gateway',
    keys.privateKey,
    'tracker',
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
      MONGODB_DATABASE: stack.database('tracker'),
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
      GATEWAY_PUBLIC_KEYS: keys.publicKey,
      PORT: '0',
      ...settings,
    });
  const until = createdMs + revisions * minuteMs;
  const history = async (url: string, signal: number): Promise<SignalHistory | undefined> => {
    const query = `?resolution=5m&until=${new Date(until).toISOString()}`;
    const response = await fetch(`${url}/v1/signals/${signalId(signal)}/history${query}`, {
      headers: { [identityHeader]: token },
    });
    return ((await response.json()) as { data?: SignalHistory }).data;
  };

  it('loses and doubles no observation when it is killed again and again while events flow', async () => {
    const broker = await openBroker(stack, resources);
    const { exchange } = eventTopology(stack.namespace);
    const events = Array.from({ length: revisions }, (_, n) =>
      signals.map((signal) => {
        const mcap = 1_000 + ((n * 37 * signal) % 900);
        return eventOf(
          {
            signal,
            rev: n + 1,
            atMs: createdMs + n * minuteMs,
            mcap,
            recordedMs: createdMs + n * minuteMs,
          },
          createdMs,
        );
      }),
    ).flat();
    const counted = async (url: string) => {
      const found = await history(url, 1);
      return found?.buckets.reduce((sum, { count }) => sum + count, 0) ?? 0;
    };
    for (const third of [0, 1, 2]) {
      await using service = start();
      const url = await addressOf(service);
      const before = await counted(url);
      const published = Promise.all(
        events
          .slice(third * revisions, (third + 1) * revisions)
          .map((event) => broker.publish(eventMessage(exchange, event))),
      );
      // In the middle of it: as soon as the first of these events show.
      await eventually(async () => expect(await counted(url)).toBeGreaterThan(before), { everyMs: 1 });
      await service.kill('SIGKILL');
      await published;
    }

    await using service = start();
    const url = await addressOf(service);
    for (const signal of signals) {
      const own = events.filter(({ data }) => data.id === signalId(signal));
      const range = { from: new Date(createdMs), until: new Date(until), widthMs: 5 * minuteMs };
      const { buckets } = recount(own, range);
      await eventually(async () => expect((await history(url, signal))?.buckets).toEqual(buckets));
    }
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
    expect(await history(url, 1)).toBeUndefined();
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', checks: { mongodb: 'ok', broker: 'failing' } });
  });

  it('tells operators how many signals are due, where no poller runs', async () => {
    await using service = start({ METRICS_PORT: '0', MONGODB_DATABASE: stack.database('due') });
    const url = await addressOf(service, 'metrics');
    const broker = await openBroker(stack, resources);
    const event = eventOf({ signal: 9, rev: 1, atMs: createdMs, mcap: 1_000 }, createdMs);
    await broker.publish(eventMessage(eventTopology(stack.namespace).exchange, event));
    await eventually(async () => {
      const text = await (await fetch(url)).text();
      expect(text).toMatch(/^sigcast_tracker_signals_due\{service="tracker"\} [1-9]/m);
    });
  });

  it('finishes the backtest of a process that was killed, and tells operators how long backtests wait', async () => {
    const database = stack.database('backtests');
    const connection = await openMongo(stack, resources, database);
    const body = createBacktestSchema.parse({ filters: { since: new Date(createdMs - 1).toISOString() } });
    const deps = { backtests: mongoBacktests(connection), history: mongoBacktestHistory(connection) };
    const { id, account } = await createBacktest(
      { account: 'acct_1', body, idempotency: undefined },
      { ...deps, newId: () => newId('bt'), now: () => new Date() },
    );
    await mongoBacktestWork(connection).lease(new Date(), new Date(Date.now() + 2_000));
    await using service = start({ METRICS_PORT: '0', MONGODB_DATABASE: database });
    const url = await addressOf(service, 'metrics');
    await eventually(async () => {
      expect(await deps.backtests.find(account, id)).toMatchObject({ status: 'completed' });
    });
    const text = await (await fetch(url)).text();
    expect(text).toContain('sigcast_tracker_backtest_wait_seconds{service="tracker"} 0');
  });

  it('tells operators how many messages wait and are parked', async () => {
    await using service = start({ METRICS_PORT: '0' });
    const url = await addressOf(service, 'metrics');
    const { tracker } = eventTopology(stack.namespace);
    const broker = await openBroker(stack, resources);
    await broker.publish({
      exchange: '',
      routingKey: tracker.queue,
      messageId: 'one',
      body: Buffer.from('{'),
    });
    await eventually(async () => {
      const text = await (await fetch(url)).text();
      expect(text).toContain(`sigcast_queue_parked_messages{queue="${tracker.parked}",service="tracker"} 1`);
      expect(text).toContain(`sigcast_queue_messages{queue="${tracker.queue}",service="tracker"} 0`);
    });
  });
});
