import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { keptLog, messageTo, openBroker, ownQueues } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it('a full queue is logged once after 5 s, and shows in the readiness until it takes messages again', async () => {
  const { queue } = ownQueues(stack);
  const { lines, log } = keptLog();
  await using broker = await openBroker(
    [stack.amqpUrl],
    async (channel) => {
      const full = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
      await channel.assertQueue(queue, { durable: true, arguments: full });
    },
    log,
  );
  const errors = () => lines.filter(({ level }) => level === 'error');
  await broker.publish(messageTo(queue, 'fits'));
  const startedAt = performance.now();
  await eventually(async () => {
    await expect(broker.publish(messageTo(queue, 'too many'))).rejects.toMatchObject({ retryable: true });
    expect(errors()).toMatchObject([{ queue }]);
  });
  expect(performance.now() - startedAt).toBeGreaterThan(5_000);
  await expect(broker.checkUsable()).rejects.toThrow(queue);
  expect(broker.connected).toBe(true);

  for (let again = 0; again < 3; again++)
    await expect(broker.publish(messageTo(queue, 'too many'))).rejects.toThrow();
  expect(errors()).toHaveLength(1);

  await broker.withChannel((channel) => channel.purgeQueue(queue));
  await broker.publish(messageTo(queue, 'fits'));
  await broker.checkUsable();
});
