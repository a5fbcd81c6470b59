import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type BackingServices, startBackingServices } from '@sigcast/local';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import { connect } from 'amqplib';
import { messageTo, openBroker, ownQueues, type Queues } from './fixture.ts';

jest.setTimeout(240_000);

/** What the queue's users may need to find out, and to have it declared anew. */
const repairTimeoutMs = 90_000;

describe('a queue that the broker was killed too soon after it was declared', () => {
  let backing: BackingServices;
  let stack: TestStack;
  beforeAll(async () => {
    const { mongodbUri, redisUrl } = testStack();
    backing = await startBackingServices({
      dataDir: mkdtempSync(join(tmpdir(), 'sigcast-broker-')),
      // A broker of its own, as it is killed; the stores are not used.
      env: { MONGODB_URI: mongodbUri, REDIS_URL: redisUrl },
      ephemeral: true,
      report: () => undefined,
    });
    stack = testStack(backing);
  });
  afterAll(() => backing.stop());

  const declared = async (queues: Queues, deleteFirst: boolean) => {
    const model = await connect(backing.amqpUrl);
    const channel = await model.createChannel();
    if (deleteFirst) await channel.deleteQueue(queues.queue);
    await queues.declare(channel);
    await model.close();
  };
  const killBroker = async () => {
    await backing.rabbitmq.kill();
    await backing.rabbitmq.start();
  };
  const restartBroker = async () => {
    await backing.rabbitmq.stop();
    await backing.rabbitmq.start();
  };

  /** Publishes and consumes until that works, and whatever is in the queue then outlives another kill. */
  const serves = async (queues: Queues) => {
    const { queue, declare } = queues;
    {
      await using broker = await openBroker(backing.amqpUrl, declare);
      const received: string[] = [];
      const consumer = await broker.consume({
        ...{ queue, prefetch: 1 },
        handle: async ({ id }) => void received.push(id),
      });
      await eventually(() => broker.publish(messageTo(queue, 'first')), {
        timeoutMs: repairTimeoutMs,
        everyMs: 500,
      });
      await eventually(() => expect(received).toContain('msg_first'), { timeoutMs: 20_000 });
      await consumer.close();
      await broker.publish(messageTo(queue, 'kept'));
    }
    await restartBroker();
    await killBroker();
    await using broker = await openBroker(backing.amqpUrl, declare);
    const received: string[] = [];
    await broker.consume({ ...{ queue, prefetch: 1 }, handle: async ({ id }) => void received.push(id) });
    await eventually(() => expect(received).toEqual(['msg_kept']));
  };

  it('serves again although nobody leads it, and keeps what it gets then', async () => {
    const queues = ownQueues(stack);
    await restartBroker();
    await declared(queues, false);
    await killBroker();
    await serves(queues);
  });

  it('serves again although its data is not where the broker looks, and keeps what it gets then', async () => {
    const queues = ownQueues(stack);
    await declared(queues, false);
    await restartBroker(); // an orderly end saves where its data is
    await declared(queues, true);
    await killBroker();
    await serves(queues);
  });
});
