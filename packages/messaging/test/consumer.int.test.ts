import { SigcastError, unavailable } from '@sigcast/contracts';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type IncomingMessage, messagesReady, parkingLot, UnprocessableMessage } from '../src/index.ts';
import { messageTo, openBroker, ownQueues, take } from './fixture.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it('a consumer acknowledges a message when it is handled, and not before', async () => {
  const { queue, declare } = ownQueues(stack);
  const seen: IncomingMessage[] = [];
  {
    await using broker = await openBroker(stack.amqpUrl, declare);
    for (const body of ['done', 'failing']) await broker.publish(messageTo(queue, body));
    await broker.consume({
      queue,
      prefetch: 10,
      handle: async (message) => {
        seen.push(message);
        if (message.body.toString() === 'failing') throw unavailable('The store');
      },
    });
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(2));
  }
  await using other = await openBroker(stack.amqpUrl, declare);
  expect(await take(other, queue)).toMatchObject({
    properties: { messageId: 'msg_failing' },
    fields: { redelivered: true },
  });
  expect(await take(other, queue)).toBeUndefined();
});

it.concurrent('a consumer tries a message again in place while the cause may pass, and handles the others meanwhile', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  let storeIsBack = false;
  const calls: IncomingMessage[] = [];
  const handled: string[] = [];
  const consumer = await broker.consume({
    queue,
    parked,
    prefetch: 2,
    handle: async (message) => {
      calls.push(message);
      const body = message.body.toString();
      if (body === 'stuck' && !storeIsBack) throw unavailable('The store');
      handled.push(body);
    },
  });
  await broker.publish(messageTo(queue, 'stuck'));
  for (let n = 0; n < 10; n++) await broker.publish(messageTo(queue, `other ${n}`));
  await eventually(() => expect(handled).toHaveLength(10));
  // More often than unclassified failures are tolerated.
  const stuck = () => calls.filter(({ id }) => id === 'msg_stuck');
  await eventually(() => expect(stuck().length).toBeGreaterThan(5));
  storeIsBack = true;
  await eventually(() => expect(handled).toContain('stuck'));
  expect(stuck().every(({ redelivered }) => !redelivered)).toBe(true);
  await consumer.close();
  expect(await take(broker, queue)).toBeUndefined();
  expect(await take(broker, parked)).toBeUndefined();
});

it.concurrent('a consumer never parks a message for an error of a store, even when the command itself was wrong', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  let calls = 0;
  let released = false;
  const consumer = await broker.consume({
    queue,
    parked,
    prefetch: 10,
    handle: async () => {
      calls++;
      if (!released) throw new SigcastError('INTERNAL_ERROR', 'the store refused it');
    },
  });
  await broker.publish(messageTo(queue, 'refused'));
  // More often than unclassified failures are tolerated.
  await eventually(() => expect(calls).toBeGreaterThan(6));
  expect(await take(broker, parked)).toBeUndefined();
  released = true;
  const before = calls;
  await eventually(() => expect(calls).toBeGreaterThan(before));
  await consumer.close();
  expect(await take(broker, queue)).toBeUndefined();
  expect(await take(broker, parked)).toBeUndefined();
});

it.concurrent('a consumer parks a message after five unclassified failures, with the reason', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  let calls = 0;
  const consumer = await broker.consume({
    queue,
    parked,
    prefetch: 10,
    handle: () => {
      calls++;
      return Promise.reject(new TypeError('a bug'));
    },
  });
  await broker.publish(messageTo(queue, 'poison'));
  const message = await eventually(async () => {
    const taken = await take(broker, parked);
    if (!taken) throw new Error('not parked yet');
    return taken;
  });
  expect(calls).toBe(5);
  expect(message.properties.headers).toMatchObject({ 'sigcast-reason': 'TypeError: a bug' });
  await consumer.close();
  expect(await take(broker, queue)).toBeUndefined();
});

it('a consumer parks an unprocessable message at once and unchanged, with reason, queue, routing key and time', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const calls: string[] = [];
  await broker.consume({
    queue,
    parked,
    prefetch: 1,
    handle: async ({ body }) => {
      calls.push(body.toString());
      if (body.toString() === 'nonsense') throw new UnprocessableMessage('no such version');
    },
  });
  const direct = { ...messageTo(queue, 'nonsense'), exchange: 'amq.direct', routingKey: `${queue}.key` };
  await broker.withChannel((channel) => channel.bindQueue(queue, direct.exchange, direct.routingKey));
  await broker.publish(direct);
  await broker.publish(messageTo(queue, 'next'));
  await eventually(() => expect(calls).toEqual(['nonsense', 'next']));
  const message = await take(broker, parked);
  expect(message?.content.toString()).toBe('nonsense');
  expect(message?.properties).toMatchObject({
    messageId: 'msg_nonsense',
    headers: {
      'sigcast-reason': 'UnprocessableMessage: no such version',
      'sigcast-queue': queue,
      'sigcast-routing-key': direct.routingKey,
      'sigcast-parked-at': expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
});

it('a message stays in the trace of its publication when it is parked and when it returns to its queue', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const handle = () => Promise.reject(new UnprocessableMessage('no such version'));
  const consumer = await broker.consume({ queue, parked, prefetch: 1, handle });
  await broker.publish({ ...messageTo(queue, 'traced'), traceparent });
  const readyIn = async (name: string) => (await messagesReady(broker, [name])).get(name);
  await eventually(async () => expect(await readyIn(parked)).toBe(1));
  await consumer.close();
  await parkingLot(broker, [{ queue, parked, keys: [] }]).walk(() => 'keep');
  await parkingLot(broker, [{ queue, parked, keys: [] }]).walk(() => 'requeue');
  expect((await take(broker, queue))?.properties.headers).toEqual({ traceparent });
});

it('a consumer keeps a message that it can not park, and parks it later', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  await broker.withChannel((channel) => channel.deleteQueue(parked));
  let calls = 0;
  await broker.consume({
    queue,
    parked,
    prefetch: 1,
    handle: () => {
      calls++;
      return Promise.reject(new UnprocessableMessage('nonsense'));
    },
  });
  await broker.publish(messageTo(queue, 'nonsense'));
  await eventually(() => expect(calls).toBeGreaterThan(1));
  await broker.withChannel(declare);
  await eventually(async () => expect(await take(broker, parked)).toMatchObject({ fields: {} }));
});

it('a queue that is deleted under its consumer is declared again by its publisher, and the consumer goes on', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const handled: string[] = [];
  await broker.consume({
    queue,
    prefetch: 10,
    handle: async ({ body }) => {
      handled.push(body.toString());
    },
  });
  await broker.publish(messageTo(queue, 'before'));
  await eventually(() => expect(handled).toEqual(['before']));
  await broker.withChannel((channel) => channel.deleteQueue(queue));
  await eventually(() => broker.publish(messageTo(queue, 'after')));
  await eventually(() => expect(handled).toEqual(['before', 'after']));
});

it('a consumer whose queue does not exist does not delay other consumers', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  await broker.consume({ queue: `${queue}.missing`, prefetch: 1, handle: async () => undefined });
  const handled: string[] = [];
  await broker.consume({
    queue,
    prefetch: 1,
    handle: async ({ id }) => {
      handled.push(id);
    },
  });
  await broker.publish(messageTo(queue, 'one'));
  await eventually(() => expect(handled).toEqual(['msg_one']));
  expect(broker.connected).toBe(true);
});

it('a consumer handles and acknowledges the messages in flight when it is closed, and takes no more', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const finished: string[] = [];
  const consumer = await broker.consume({
    queue,
    prefetch: 2,
    handle: async ({ id }) => {
      begun.push(id);
      await released;
      finished.push(id);
    },
  });
  for (const body of ['1', '2', '3']) await broker.publish(messageTo(queue, body));
  await eventually(() => expect(begun).toHaveLength(2));
  let closed = false;
  const closing = consumer.close().then(() => {
    closed = true;
  });
  // A second call of `close` also waits for the messages in flight.
  const again = consumer.close().then(() => expect(finished).toHaveLength(2));
  await broker.publish(messageTo(queue, '4'));
  expect(closed).toBe(false);
  release();
  await Promise.all([closing, again]);
  expect(finished).toEqual(['msg_1', 'msg_2']);
  const left = [await take(broker, queue), await take(broker, queue), await take(broker, queue)];
  const ids = left.map((message) => message?.properties.messageId as string | undefined);
  expect(new Set(ids)).toEqual(new Set(['msg_3', 'msg_4', undefined]));
});

it.concurrent('a consumer gives a message that waits for its next try back to the queue when it is closed', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  let calls = 0;
  const consumer = await broker.consume({
    queue,
    prefetch: 1,
    handle: () => {
      calls++;
      return Promise.reject(unavailable('The store'));
    },
  });
  await broker.publish(messageTo(queue, 'waiting'));
  await eventually(() => expect(calls).toBeGreaterThan(7)); // pauses are over two seconds by now
  const startedAt = performance.now();
  await consumer.close();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_waiting' } });
});
