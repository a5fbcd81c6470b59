import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { brokerProxy, messageTo, openBroker, ownQueues, take } from './fixture.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it('publishing resolves when the message is in a queue, persistent and with its id', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  await broker.publish({ ...messageTo(queue, 'one'), headers: { 'x-note': 'kept' } });
  const message = await take(broker, queue);
  expect(message).toMatchObject({
    properties: {
      messageId: 'msg_one',
      deliveryMode: 2,
      contentType: 'application/json',
      headers: { 'x-note': 'kept' },
    },
  });
  expect(message?.content.toString()).toBe('one');
});

it('publishing fails for a message that no queue takes, and only for that one', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const [lost, kept] = await Promise.allSettled([
    broker.publish(messageTo(`${queue}.nowhere`, 'lost')),
    broker.publish(messageTo(queue, 'kept')),
  ]);
  expect(lost).toMatchObject({
    status: 'rejected',
    reason: { code: 'SERVICE_UNAVAILABLE', retryable: true },
  });
  expect(kept.status).toBe('fulfilled');
  expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_kept' } });
});

it('publishing fails for a message that a full queue refuses', async () => {
  const { queue } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, async (channel) => {
    await channel.assertQueue(queue, {
      durable: true,
      arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    });
  });
  await broker.publish(messageTo(queue, 'fits'));
  await expect(broker.publish(messageTo(queue, 'too many'))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

it('publishing recovers by itself from a channel the broker closed', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  await expect(
    broker.publish({ ...messageTo(queue, 'lost'), exchange: `${queue}.no-such-exchange` }),
  ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await eventually(() => broker.publish(messageTo(queue, 'kept')));
  expect(broker.connected).toBe(true);
  expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_kept' } });
});

it('publishing distinguishes a message that can not be encoded from a failing broker', async () => {
  const { queue, declare } = ownQueues(stack);
  await using broker = await openBroker(stack.amqpUrl, declare);
  const headers = { bad: (() => undefined) as unknown as string };
  await expect(broker.publish({ ...messageTo(queue, 'bad'), headers })).rejects.toThrow(TypeError);
  await broker.publish(messageTo(queue, 'good'));
  expect(await take(broker, queue)).toMatchObject({ properties: { messageId: 'msg_good' } });
});

it('publishing fails when the connection breaks before the confirm', async () => {
  const { queue, declare } = ownQueues(stack);
  await using proxy = await brokerProxy(stack);
  await using broker = await openBroker(proxy.url, declare);
  proxy.hang();
  const published = expect(broker.publish(messageTo(queue, 'cut off'))).rejects;
  proxy.cut();
  await published.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it('publishing gives up on a confirm that does not come', async () => {
  const { queue, declare } = ownQueues(stack);
  await using proxy = await brokerProxy(stack);
  await using broker = await openBroker(proxy.url, declare);
  proxy.hang();
  const startedAt = performance.now();
  await expect(broker.publish(messageTo(queue, 'silence'))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(performance.now() - startedAt).toBeLessThan(7_000);
});
