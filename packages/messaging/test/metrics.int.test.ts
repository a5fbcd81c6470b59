import { unavailable } from '@sigcast/contracts';
import { newId, silentLogger } from '@sigcast/runtime';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import type { Channel } from 'amqplib';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Broker, queueDepths, UnprocessableMessage } from '../src/index.ts';
import { brokerProxy, messageTo, openBroker, ownQueues } from './fixture.ts';

let stack: TestStack;
beforeAll(() => {
  stack = testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it('metrics count publications, outcomes of messages and their lag, and connections', async () => {
  const { queue, parked, declare } = ownQueues(stack);
  await using proxy = await brokerProxy(stack);
  const registry = new Registry();
  await using broker = await openBroker(proxy.url, declare, silentLogger(), registry);
  const lines = async () => (await registry.metrics()).split('\n');
  expect(await lines()).toContain('sigcast_broker_connected 1');

  let storeIsAway = true;
  await broker.consume({
    queue,
    parked,
    prefetch: 5,
    handle: async ({ body }) => {
      if (body.toString() === 'unreadable') throw new UnprocessableMessage('no JSON');
      if (body.toString() === 'later' && storeIsAway) {
        storeIsAway = false;
        throw unavailable('The store');
      }
    },
  });
  expect(await lines()).toContain(`sigcast_consumer_retries_total{messaging_destination_name="${queue}"} 0`);
  const anHourAgo = newId('evt', Date.now() - 3_600_000);
  await broker.publish({ ...messageTo(queue, 'old'), messageId: anHourAgo });
  for (const body of ['later', 'unreadable']) await broker.publish(messageTo(queue, body));
  await expect(broker.publish(messageTo('nobody', 'lost'))).rejects.toThrow();
  const of = `messaging_destination_name="${queue}"`;
  await eventually(async () =>
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `messaging_client_operation_duration_seconds_count{messaging_operation_name="publish",${of},error_type=""} 3`,
        'messaging_client_operation_duration_seconds_count{messaging_operation_name="publish",messaging_destination_name="nobody",error_type="unavailable"} 1',
        `messaging_process_duration_seconds_count{${of},outcome="handled"} 2`,
        `messaging_process_duration_seconds_count{${of},outcome="parked"} 1`,
        `sigcast_consumer_retries_total{${of}} 1`,
        // Only a message with an event's id shows when the event was made.
        `sigcast_consumer_lag_seconds_count{${of},priority="live"} 1`,
        `sigcast_consumer_lag_seconds_bucket{le="1800",${of},priority="live"} 0`,
        'sigcast_broker_connections_lost_total 0',
      ]),
    ),
  );
  const bound = { queue, parked, keys: [] };
  // A busy machine may be silent for as long as a broker whose depths are not waited for.
  await eventually(async () =>
    expect(await queueDepths(broker, [bound])).toEqual([{ [queue]: 0 }, { [parked]: 1 }]),
  );

  proxy.refuse();
  proxy.cut();
  await eventually(async () =>
    expect(await lines()).toEqual(
      expect.arrayContaining(['sigcast_broker_connected 0', 'sigcast_broker_connections_lost_total 2']),
    ),
  );
});

it('the depths of queues are shown while one of them does not answer', async () => {
  const [silent, other] = [ownQueues(stack), ownQueues(stack)];
  await using broker = await openBroker(stack.amqpUrl, other.declare, silentLogger());
  // As a broker does of a queue whose majority is away.
  const sayingNothing: Pick<Broker, 'withChannel'> = {
    withChannel: (work) =>
      broker.withChannel((channel) => {
        const checkQueue: Channel['checkQueue'] = (name) =>
          name === silent.queue || name === silent.parked
            ? new Promise(() => undefined)
            : channel.checkQueue(name);
        return work(Object.assign(Object.create(channel) as Channel, { checkQueue }));
      }),
  };
  const queues = [silent, other].map(({ queue, parked }) => ({ queue, parked, keys: [] }));
  // A busy machine may be silent for as long as a broker.
  await eventually(async () =>
    expect(await queueDepths(sayingNothing, queues)).toEqual([
      { [silent.queue]: undefined, [other.queue]: 0 },
      { [silent.parked]: undefined, [other.parked]: 0 },
    ]),
  );
});
