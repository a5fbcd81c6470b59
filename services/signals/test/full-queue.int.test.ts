import { type EventPriority, eventTopology, type SignalEvent, signalEventSchema } from '@sigcast/contracts';
import { type Broker, eventMessage, isRefusedByQueue, parseEventAs } from '@sigcast/messaging';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pacedPublish } from '../src/relay/paced-publish.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  collectEvents,
  declareBounded,
  detailOf,
  fillQueue,
  openBroker,
  openModel,
  openRelay,
  openService,
  openStack,
  testIdentities,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('full queues', () => {
  const { stack, resources, close } = openStack();
  const { exchange } = eventTopology(stack.namespace);
  const full = `${stack.namespace}.small`;
  let broker: Broker;
  /** Events in the statistics' queue, copies included. This queue takes the events that the full queue refuses. */
  let arrived: SignalEvent[];
  let model: SignalModel;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    arrived = await collectEvents(stack, broker);
    model = await openModel(stack, resources);
    stack.ownQueues('small');
    // A further queue at the exchange, which gets `signal.new` alone.
    await declareBounded(broker, full, 5);
    await broker.withChannel((channel) => channel.bindQueue(full, exchange, 'signal.new'));
  });
  afterAll(close);

  it('a full queue leaves events in their outbox, gives other queues few copies, shows in the readiness, and loses nothing', async () => {
    await fillQueue(broker, full);
    const refused: string[] = [];
    const publish = async (event: SignalEvent, priority: EventPriority) =>
      broker.publish(eventMessage(exchange, event, priority));
    // Clocks that run five times as fast: for the pauses, and for the ten seconds after which a sweep tries an event again.
    const startMs = Date.now();
    const paced = pacedPublish(
      publish,
      (routingKey) => void refused.push(routingKey),
      () => 5 * performance.now(),
    );
    const now = () => new Date(startMs + 5 * (Date.now() - startMs));
    const relay = openRelay(stack, resources, { model, broker, publish: paced, now });
    const { api } = openService({ model, identities: testIdentities(), relay });
    const created: string[] = [];
    const count = 30;
    for (let n = 0; n < count; n++) created.push(detailOf(await api.post(sampleBody())).id);

    await eventually(() => expect(broker.checkUsable()).rejects.toThrow(`${exchange} (signal.new)`));
    expect(new Set(refused)).toEqual(new Set(['signal.new']));
    expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(count);
    // A sweep came every 50 ms. Without pauses each sweep would have copied all waiting events.
    expect(arrived.length).toBeLessThanOrEqual(count + refused.length);
    expect(refused.length).toBeLessThan(20);

    // Events that the full queue does not get are published meanwhile.
    const [refusedOne] = await eventually(() => {
      expect(arrived).not.toEqual([]);
      return arrived as [SignalEvent];
    });
    await paced({ ...refusedOne, type: 'signal.updated' }, 'live');
    await eventually(() => expect(arrived.map(({ type }) => type)).toContain('signal.updated'));

    const taken: SignalEvent[] = [];
    const consumer = await broker.consume({
      queue: full,
      prefetch: 1,
      handle: async (message) => {
        if (message.id !== 'filling') taken.push(parseEventAs(message, signalEventSchema));
      },
    });
    resources.defer(() => consumer.close());
    await eventually(
      async () => expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(0),
      { timeoutMs: 40_000 },
    );
    // At least once each: a late confirm on a busy machine makes a copy.
    await eventually(() => expect(new Set(taken.map(({ id }) => id)).size).toBe(count));
    expect(new Set(taken.map(({ data }) => data.id))).toEqual(new Set(created));
    await eventually(() => expect(new Set(arrived.map(({ data }) => data.id))).toEqual(new Set(created)));
    await broker.checkUsable();
  });
});

describe('the pauses of refused events', () => {
  const event = (type: SignalEvent['type']) => ({ type }) as SignalEvent;

  it('events that a queue refuses are tried one at a time after growing pauses, until the queue takes one', async () => {
    const { stack, resources, close } = openStack();
    try {
      const broker = await openBroker(stack, resources);
      const full = `${stack.namespace}.full`;
      stack.ownQueues('full');
      await declareBounded(broker, full, 1);
      let nowMs = 0;
      let tries = 0;
      let isAway = false;
      const paced = pacedPublish(
        async ({ type }) => {
          if (type !== 'signal.new') return;
          if (isAway) throw new Error('the broker is away');
          tries++;
          await broker.publish({
            exchange: '',
            routingKey: full,
            messageId: 'm',
            body: Buffer.from('{}'),
          });
        },
        () => undefined,
        () => nowMs,
      );
      const several = async () => {
        tries = 0;
        const results = await Promise.allSettled(
          Array.from({ length: 5 }, () => paced(event('signal.new'), 'live')),
        );
        return results.map((result) =>
          result.status === 'rejected' ? isRefusedByQueue(result.reason) : 'taken',
        );
      };
      await eventually(async () => expect(await several()).toEqual(Array(5).fill(true)));
      for (const longestMs of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
        nowMs += longestMs / 2 - 1;
        expect(await several()).toEqual(Array(5).fill(true));
        expect(tries).toBe(0);
        await paced(event('signal.updated'), 'live');
        nowMs += longestMs / 2 + 1;
        expect(await several()).toEqual(Array(5).fill(true));
        expect(tries).toBe(1);
      }
      await broker.withChannel((channel) => channel.purgeQueue(full));
      nowMs += 10_000;
      isAway = true; // says nothing about the queue
      await expect(paced(event('signal.new'), 'live')).rejects.toThrow('the broker is away');
      isAway = false;
      await paced(event('signal.new'), 'live');
      expect(tries).toBe(2);
      await broker.withChannel((channel) => channel.deleteQueue(full));
    } finally {
      await close();
    }
  });
});
