import { openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { type Broker, eventMessage } from '@sigcast/messaging';
import { connectMongo } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy, type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordFacts } from '../src/consumers/record-facts.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { mongoLedger } from '../src/store/mongo-ledger.ts';
import { eventOf, type Revision } from './events.ts';
import { openBroker, openMongo } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const first: Revision = {
  signal: 1,
  type: 'wallet',
  status: 'active',
  roi: 1_234,
  createdAtMs: Date.parse('2026-06-15T12:00:00Z'),
  rev: 1,
};

describe('recording facts', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let broker: Broker;
  const allStacks: TestStack[] = [];

  beforeEach(async () => {
    stack = testStack();
    allStacks.push(stack);
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('stats'));
    broker = await openBroker(stack, resources);
  });
  afterEach(() => resources.disposeAsync());
  afterAll(async () => {
    for (const each of allStacks) await each[Symbol.asyncDispose]();
  });

  const topology = () => eventTopology(stack.namespace);
  /** Consumes events as the service does. */
  const consume = () =>
    recordFacts(broker, topology().stats, mongoFacts(connection, openAggregates(connection, factAggregates)));
  const publish = (revision: Revision) =>
    broker.publish(eventMessage(topology().exchange, eventOf(revision)));
  const facts = () => mongoLedger(connection).page({ limit: 10 });
  const queued = (queue: string) =>
    broker.withChannel(async (channel) => (await channel.get(queue, { noAck: true })) || undefined);

  it('keeps the newest revision of each signal under duplicates and in any order', async () => {
    await consume();
    const winner: Revision = { ...first, rev: 3, status: 'winner', roi: 99_900 };
    for (const revision of [winner, first, { ...first, rev: 2 }, winner, first]) await publish(revision);
    await publish({ ...first, signal: 2 });
    await eventually(async () => expect(await facts()).toHaveLength(2));
    expect(await facts()).toMatchObject([
      { type: 'wallet', status: 'winner', roi: 99_900, createdAt: new Date(first.createdAtMs), rev: 3 },
      { type: 'wallet', status: 'active', roi: 1_234, rev: 1 },
    ]);
  });

  it('records the signal of an event of every type', async () => {
    await consume();
    const statuses = ['active', 'winner', 'dead', 'rugged'] as const;
    for (const [index, status] of statuses.entries()) {
      await publish({ ...first, signal: index, rev: 2, status });
    }
    await publish({ ...first, signal: 4 });
    await eventually(async () => {
      const found = await facts();
      expect(found.map(({ status }): unknown => status)).toEqual([...statuses, 'active']);
    });
  });

  it('records the signal of an event of a type it does not know, with members it does not know', async () => {
    await consume();
    const { data, ...event } = eventOf(first);
    const newer = {
      ...event,
      type: 'signal.paused',
      source: 'x',
      data: { ...data, token: 'y', more: { of: 'z' } },
    };
    const { exchange } = topology();
    const body = Buffer.from(JSON.stringify(newer));
    await broker.publish({ exchange, routingKey: 'signal.paused', messageId: 'evt_newer', body });
    await eventually(async () => expect(await facts()).toMatchObject([{ rev: 1, roi: 1_234 }]));
    expect(await queued(topology().stats.parked)).toBeUndefined();
  });

  it('parks an event of a version it does not know with the reason, and goes on', async () => {
    const { exchange, stats } = topology();
    const consumer = await consume();
    const body = Buffer.from(JSON.stringify({ ...eventOf(first), version: 2 }));
    await broker.publish({ exchange, routingKey: 'signal.new', messageId: 'evt_future', body });
    await publish({ ...first, signal: 2 });
    await eventually(async () => expect(await facts()).toHaveLength(1));
    const parked = await eventually(async () => {
      const message = await queued(stats.parked);
      if (!message) throw new Error('not parked yet');
      return message;
    });
    expect(parked.content).toEqual(body);
    expect(parked.properties).toMatchObject({
      messageId: 'evt_future',
      headers: {
        'sigcast-reason': expect.stringContaining('version'),
        'sigcast-routing-key': 'signal.new',
        'sigcast-queue': stats.queue,
      },
    });
    await consumer.close();
    expect(await queued(stats.queue)).toBeUndefined();
  });

  it('keeps an event while the store is away, records it when the store is back, and gives it back when closed before', async () => {
    const { hostname, port } = new URL(stack.mongodbUri);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 27_017) });
    const frail = await connectMongo(
      { uri: proxy.through(stack.mongodbUri), database: connection.name },
      silentLogger(),
      resources,
    );
    const store = mongoFacts(frail, openAggregates(frail, factAggregates));
    let attempts = 0;
    const counted = {
      record: (fact: Parameters<typeof store.record>[0]) => {
        attempts++;
        return store.record(fact);
      },
    };
    proxy.refuse();
    proxy.cut();

    const stopped = await recordFacts(broker, topology().stats, counted);
    await publish(first);
    await eventually(() => expect(attempts).toBeGreaterThan(0));
    await stopped.close();
    await eventually(async () => {
      const { queue } = topology().stats;
      const { messageCount } = await broker.withChannel((channel) => channel.checkQueue(queue));
      expect(messageCount).toBe(1);
    });

    attempts = 0;
    await recordFacts(broker, topology().stats, counted);
    await eventually(() => expect(attempts).toBeGreaterThan(1));
    expect(await facts()).toEqual([]);
    proxy.restore();
    await eventually(async () => expect(await facts()).toMatchObject([{ rev: 1, roi: 1_234 }]));
    expect(await queued(topology().stats.parked)).toBeUndefined();
  });
});
