import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Broker } from '../src/index.ts';
import { brokerProxy, messageTo, openBroker, ownQueues, startBroker, take } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const consumersOf = (broker: Broker, queue: string) =>
  broker.withChannel(async (channel) => (await channel.checkQueue(queue)).consumerCount);

describe('reconnecting', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('a broken connection is replaced with its publisher and consumers, and unacknowledged messages are delivered again', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, declare);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const deliveries: { id: string; redelivered: boolean }[] = [];
    await broker.consume({
      queue,
      prefetch: 10,
      handle: async ({ id, redelivered }) => {
        deliveries.push({ id, redelivered });
        if (!redelivered) await released;
      },
    });
    await broker.publish(messageTo(queue, 'held'));
    await eventually(() => expect(deliveries).toEqual([{ id: 'msg_held', redelivered: false }]));
    proxy.cut();
    await eventually(() => expect(deliveries).toContainEqual({ id: 'msg_held', redelivered: true }));
    release();
    await eventually(() => broker.publish(messageTo(queue, 'later')));
    await eventually(() => expect(deliveries.map(({ id }) => id)).toContain('msg_later'));
    expect(await consumersOf(broker, queue)).toBe(1);
  });

  it('publishing and inspecting fail at once while the connection is broken', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, declare);
    proxy.refuse();
    proxy.cut();
    await eventually(() => expect(broker.connected).toBe(false));
    const startedAt = performance.now();
    await expect(broker.publish(messageTo(queue, 'lost'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await expect(broker.withChannel((channel) => channel.checkQueue(queue))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(performance.now() - startedAt).toBeLessThan(500);
    proxy.restore();
    await eventually(() => broker.publish(messageTo(queue, 'kept')));
    // The consuming connection returns by itself, before or after the publishing one.
    await eventually(async () =>
      expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_kept' } }),
    );
  });

  it('inspections of queues end when the connection breaks, and later ones succeed', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, declare);
    for (let round = 0; round < 3; round++) {
      const looks = Array.from({ length: 20 }, () =>
        broker.withChannel((channel) => channel.checkQueue(queue)),
      );
      await looks[round * 5];
      proxy.cut();
      for (const look of await Promise.allSettled(looks)) {
        if (look.status === 'rejected') expect(look.reason).toBeInstanceOf(Error);
      }
      await eventually(() => broker.withChannel((channel) => channel.checkQueue(queue)));
    }
  });

  it('a connection that breaks while it is set up does not end the process', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    let attempts = 0;
    await using broker = await openBroker(proxy.url, async (channel) => {
      if (++attempts <= 2) proxy.cut();
      return declare(channel);
    });
    // Two attempts failed, and each of the two connections was declared once.
    expect(attempts).toBeGreaterThanOrEqual(4);
    await broker.publish(messageTo(queue, 'one'));
  });

  it('separate declarations run concurrently, so that a slow link costs few round trips', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const meeting = async (own: number) => {
      begun[own]?.resolve();
      // If they ran one after the other, the first would wait for ever.
      await Promise.all(begun.map(({ promise }) => promise));
    };
    await using broker = await openBroker(proxy.url, [
      async (channel) => {
        await meeting(0);
        await declare(channel);
      },
      () => meeting(1),
    ]);
    expect(broker.connected).toBe(true);
    await broker.publish(messageTo(queue, 'one'));
  });

  it('a connection whose set-up failed half-way is replaced and set up from the beginning', async () => {
    const { queue, declare } = ownQueues(stack);
    let failuresLeft = 3;
    let connectedMeanwhile = false;
    let opened: Broker | undefined;
    // Topology is declared again on connections that are set up, too.
    const before = new Set<unknown>();
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, async (channel) => {
      if (opened === undefined) before.add(channel.connection);
      if (opened === undefined || before.has(channel.connection)) return declare(channel);
      if (failuresLeft === 0) return declare(channel);
      connectedMeanwhile ||= opened.connected;
      failuresLeft -= 1;
      throw new Error('declared half of it');
    });
    await broker.consume({ queue, prefetch: 1, handle: async () => undefined });
    opened = broker;
    proxy.cut();
    await eventually(() => {
      expect(failuresLeft).toBe(0);
      expect(broker.connected).toBe(true);
    });
    expect(connectedMeanwhile).toBe(false);
    await eventually(async () => expect(await consumersOf(broker, queue)).toBe(1));
    // One connection publishes, one consumes.
    await eventually(() => expect(proxy.connections).toBe(2));
  });
});

describe('starting', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('a service starts without a broker, and connects when the broker is there, each consumer once', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    proxy.refuse();
    const startedAt = performance.now();
    await using broker = await startBroker(proxy.url, declare);
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(2_900);
    expect(tookMs).toBeLessThan(5_000);
    expect(broker.connected).toBe(false);
    const handled: string[] = [];
    const starting = broker.consume({
      queue,
      prefetch: 1,
      handle: async ({ id }) => {
        handled.push(id);
      },
    });
    proxy.restore();
    await starting;
    await eventually(() => broker.publish(messageTo(queue, 'one')));
    await eventually(() => expect(handled).toEqual(['msg_one']));
    expect(await consumersOf(broker, queue)).toBe(1);
  });
});

describe('closing', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('a closed broker client never reconnects', async () => {
    const { declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const closed = await openBroker(proxy.url, declare);
    proxy.refuse();
    proxy.cut();
    await eventually(() => expect(closed.connected).toBe(false));
    await closed.stop();
    // A second client, refused as long, shows when the first one would have reconnected.
    await using other = await startBroker(proxy.url, declare);
    expect(other.connected).toBe(false);
    proxy.restore();
    await eventually(() => expect(other.connected).toBe(true));
    expect(closed.connected).toBe(false);
    // Both connections are the second client's.
    await eventually(() => expect(proxy.connections).toBe(2));
  });

  it('closing a broker client takes less than four seconds when the broker does not answer', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const broker = await openBroker(proxy.url, declare);
    await broker.consume({ queue, prefetch: 1, handle: async () => undefined });
    // Before the broker has accepted the consumer, its answer may take 5 s by itself.
    await eventually(async () => expect(await consumersOf(broker, queue)).toBe(1));
    proxy.hang();
    const startedAt = performance.now();
    await broker.stop();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('a consumer that was closed stays closed after a reconnection', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, declare);
    const consumer = await broker.consume({ queue, prefetch: 1, handle: async () => undefined });
    expect(await consumersOf(broker, queue)).toBe(1);
    await consumer.close();
    expect(await consumersOf(broker, queue)).toBe(0);
    proxy.cut();
    await eventually(async () => {
      expect(broker.connected).toBe(true);
      expect(await consumersOf(broker, queue)).toBe(0);
    });
  });
});
