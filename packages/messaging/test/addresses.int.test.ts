import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { brokerProxy, messageTo, openBroker, ownQueues, startBroker } from './fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
// Each test waits for the broker's real timeouts, on a queue and proxies of its own, so all run at once.

/** A silent address is abandoned after 5 s, or after two to three heartbeats once it is connected. */
const patient = { timeoutMs: 60_000 };
const heartbeat = '?heartbeat=1';

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it.concurrent('several broker addresses are tried in turn until one answers, although others refuse or say nothing', async () => {
  const { queue, declare } = ownQueues(stack);
  await using refusing = await brokerProxy(stack);
  await using silent = await brokerProxy(stack);
  await using good = await brokerProxy(stack);
  refusing.refuse();
  silent.hang();
  await using broker = await startBroker([refusing.url, silent.url, good.url], declare);
  await eventually(() => expect(broker.connected).toBe(true), patient);
  await broker.publish(messageTo(queue, 'one'));
  expect(good.connections).toBe(2);
});

it.concurrent('a broker address takes over from another one that refuses or falls silent', async () => {
  const { queue, declare } = ownQueues(stack);
  await using first = await brokerProxy(stack);
  await using second = await brokerProxy(stack);
  await using broker = await openBroker([first.url + heartbeat, second.url + heartbeat], declare);
  const received: string[] = [];
  await broker.consume({ queue, prefetch: 1, handle: async ({ id }) => void received.push(id) });
  const flows = async (name: string) => {
    await eventually(() => broker.publish(messageTo(queue, name)), patient);
    await eventually(() => expect(received).toContain(`msg_${name}`), patient);
  };
  for (const [at, gone] of [first, second].entries()) {
    gone.refuse();
    gone.cut();
    await flows(`refused ${at}`);
    expect(gone.connections).toBe(0);
    gone.restore();
  }
  for (const [at, gone] of [first, second].entries()) {
    gone.hang();
    await flows(`silent ${at}`);
    gone.cut();
    gone.restore();
  }
});

it.concurrent('a broker address takes over from another one that confirms nothing, sooner than heartbeats notice it', async () => {
  const { queue, declare } = ownQueues(stack);
  await using first = await brokerProxy(stack);
  await using second = await brokerProxy(stack);
  second.refuse();
  await using broker = await openBroker([first.url, second.url], declare);
  await eventually(() => expect(broker.connected).toBe(true), patient);
  second.restore();
  first.hang();
  const startedAt = performance.now();
  await eventually(() => broker.publish(messageTo(queue, 'one')), patient);
  expect(performance.now() - startedAt).toBeLessThan(19_000);
});
