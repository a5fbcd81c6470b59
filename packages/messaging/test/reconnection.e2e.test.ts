import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import type { Broker } from '../src/index.ts';
import { brokerProxy, messageTo, openBroker, ownQueues, take } from './fixture.ts';

jest.setTimeout(60_000);

const consumersOf = (broker: Broker, queue: string) =>
  broker.withChannel(async (channel) => (await channel.checkQueue(queue)).consumerCount);

describe('reconnecting', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('a broken connection comes back with its publisher and its consumers, and unacknowledged messages are delivered again', async () => {
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
    await broker.publish(messageTo(queue, 'in hand'));
    await eventually(() => expect(deliveries).toEqual([{ id: 'msg_in hand', redelivered: false }]));
    proxy.cut();
    await eventually(() => expect(deliveries).toContainEqual({ id: 'msg_in hand', redelivered: true }));
    release();
    await eventually(() => broker.publish(messageTo(queue, 'later')));
    await eventually(() => expect(deliveries.map(({ id }) => id)).toContain('msg_later'));
    expect(await consumersOf(broker, queue)).toBe(1);
  });

  it('a broken connection fails what is published meanwhile at once', async () => {
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
    // The connection that takes comes back by itself, before or after the one that publishes.
    await eventually(async () =>
      expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_kept' } }),
    );
  });

  it('a broken connection ends the inspection of queues at once', async () => {
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

  it('a broken connection loses no confirmed message, however often it breaks', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, declare);
    const received = new Set<string>();
    await broker.consume({
      queue,
      prefetch: 5,
      handle: async ({ body }) => {
        received.add(body.toString());
      },
    });
    const confirmed: string[] = [];
    for (let n = 0; n < 300; n++) {
      if (n % 50 === 25) proxy.cut();
      await eventually(() => broker.publish(messageTo(queue, String(n))));
      confirmed.push(String(n));
    }
    await eventually(() => expect(confirmed.filter((n) => !received.has(n))).toEqual([]));
    expect(confirmed).toHaveLength(300);
  });

  it('a connection that breaks while it is set up does not end the process', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    let attempts = 0;
    await using broker = await openBroker(proxy.url, async (channel) => {
      if (++attempts <= 2) proxy.cut();
      return declare(channel);
    });
    // Two that failed, and one on each of the connections that are left.
    expect(attempts).toBeGreaterThanOrEqual(4);
    await broker.publish(messageTo(queue, 'one'));
  });

  it('separate declarations run concurrently, so that a slow link costs few round trips', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const meeting = async (own: number) => {
      begun[own]?.resolve();
      // One after the other, the first would wait for good.
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

  it('a connection whose set-up failed half-way is set up anew from the beginning', async () => {
    const { queue, declare } = ownQueues(stack);
    let failuresLeft = 0;
    let connectedMeanwhile: boolean | undefined;
    let opened: Broker | undefined;
    await using proxy = await brokerProxy(stack);
    await using broker = await openBroker(proxy.url, async (channel) => {
      connectedMeanwhile ||= opened?.connected;
      if (failuresLeft > 0 && failuresLeft--) throw new Error('declared half of it');
      return declare(channel);
    });
    opened = broker;
    await broker.consume({ queue, prefetch: 1, handle: async () => undefined });
    failuresLeft = 3;
    proxy.cut();
    await eventually(() => {
      expect(failuresLeft).toBe(0);
      expect(broker.connected).toBe(true);
    });
    expect(connectedMeanwhile).toBe(false);
    await eventually(async () => expect(await consumersOf(broker, queue)).toBe(1));
    // One that publishes, one that consumes.
    await eventually(() => expect(proxy.connections).toBe(2));
  });
});

describe('starting', () => {
  let stack: TestStack;
  beforeAll(() => {
    stack = testStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('a broker that is not there yet does not keep a service from starting, and is taken up when it comes, each consumer once', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    proxy.refuse();
    const startedAt = performance.now();
    await using broker = await openBroker(proxy.url, declare);
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

  it('closing a broker connection ends reconnecting for good', async () => {
    const { declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const closed = await openBroker(proxy.url, declare);
    proxy.refuse();
    proxy.cut();
    await eventually(() => expect(closed.connected).toBe(false));
    await closed.stop();
    // A second one that is refused as long tells when the first would have been back.
    await using other = await openBroker(proxy.url, declare);
    expect(other.connected).toBe(false);
    proxy.restore();
    await eventually(() => expect(other.connected).toBe(true));
    expect(closed.connected).toBe(false);
    // One that publishes, one that consumes.
    await eventually(() => expect(proxy.connections).toBe(2));
  });

  it('closing a broker connection takes bounded time when the broker does not answer', async () => {
    const { queue, declare } = ownQueues(stack);
    await using proxy = await brokerProxy(stack);
    const broker = await openBroker(proxy.url, declare);
    await broker.consume({ queue, prefetch: 1, handle: async () => undefined });
    // Until then a request to the broker is under way, which may take 5 s by itself.
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
