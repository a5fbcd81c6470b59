import { eventTopology } from '@sigcast/contracts';
import { type Broker, eventMessageTo, inspectQueue, queueMarks } from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runOperator } from '../src/operator/run.ts';
import { startReplay } from '../src/relay/replay.ts';
import { mongoQueueIncarnations } from '../src/store/mongo-queue-incarnations.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  detailOf,
  openArchive,
  openBroker,
  openModel,
  openRelay,
  openService,
  openStack,
  testIdentities,
  untilOutboxesAreEmpty,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('the operator commands about queues', () => {
  const { stack, resources, close } = openStack();
  const topology = eventTopology(stack.namespace);
  const { stats, fanout, bulkFanout } = topology;
  let broker: Broker;
  let model: SignalModel;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    model = await openModel(stack, resources);
  });
  afterAll(close);

  const operator = async (...args: string[]) => {
    const out: string[] = [];
    const env = {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database('signals'),
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
    };
    const print = { out: (line: string) => void out.push(line), err: () => undefined };
    const status = await runOperator(['queues', ...args, '--json'], env, print);
    return { status, said: JSON.parse(out.join('\n')) as Record<string, unknown> };
  };
  const shown = async () => {
    const { queues } = (await operator('show')).said as { queues: { queue: string }[] };
    return new Map(queues.map((each) => [each.queue, each]));
  };
  const watch = (scope: AsyncDisposableStack) =>
    startReplay(
      {
        archive: openArchive(model),
        publish: async (event, queue) => broker.publish(eventMessageTo(queue, event)),
        queues: queueMarks(broker, topology),
        incarnations: mongoQueueIncarnations(model.db),
        log: silentLogger(),
        everyMs: 50,
      },
      scope,
    );

  it('`queues show` shows each queue’s messages, consumers, parked messages and whether it is complete; `queues refill` fills one again', async () => {
    await using scope = new AsyncDisposableStack();
    const relay = openRelay(stack, scope, { model, broker });
    const { api } = openService({ model, identities: testIdentities(), relay });
    const { id } = detailOf(await api.post(sampleBody()));
    await untilOutboxesAreEmpty(model);
    {
      await using replaying = new AsyncDisposableStack();
      watch(replaying);
      await eventually(async () => {
        for (const { state } of (await shown()).values() as Iterable<{ state?: string }>)
          expect(state).toBe('complete');
      });
    }
    for (const { queue } of [stats, fanout, bulkFanout])
      await broker.withChannel((channel) => channel.purgeQueue(queue));
    await broker.publish({
      exchange: '',
      routingKey: stats.parked,
      messageId: 'unreadable',
      body: Buffer.from('{'),
    });
    const consumer = await broker.consume({
      queue: fanout.queue,
      prefetch: 1,
      handle: async () => undefined,
    });
    await eventually(async () =>
      expect((await shown()).get(fanout.queue)).toEqual({
        queue: fanout.queue,
        state: 'complete',
        messages: 0,
        consumers: 1,
        parked_queue: fanout.parked,
        parked: 0,
      }),
    );
    await consumer.close();
    expect((await shown()).get(stats.queue)).toMatchObject({ consumers: 0, parked: 1 });

    expect(await operator('refill', stats.queue)).toEqual({
      status: 0,
      said: { queue: stats.queue, refilled_by: stats.queue },
    });
    expect((await shown()).get(stats.queue)).toMatchObject({ state: 'refilling', messages: 0 });
    expect((await shown()).get(fanout.queue)).toMatchObject({ state: 'complete' });
    watch(scope);
    await eventually(async () =>
      expect((await shown()).get(stats.queue)).toMatchObject({ state: 'complete', messages: 1, parked: 1 }),
    );
    const message = await broker.withChannel((channel) => channel.get(stats.queue, { noAck: true }));
    expect(message ? message.content.toString() : message).toContain(id);
    for (const { queue } of [fanout, bulkFanout])
      expect(await inspectQueue(broker, queue)).toMatchObject({ messages: 0 });
  });

  it('`queues show` shows missing queues and declares nothing', async () => {
    await broker.withChannel((channel) => channel.deleteQueue(bulkFanout.queue));
    expect((await shown()).get(bulkFanout.queue)).toMatchObject({ state: 'missing', messages: null });
    expect(await inspectQueue(broker, bulkFanout.queue)).toBeUndefined();
  });

  it.each([
    [['refill', 'nothing'], 1, 'unknown_queue', /no queue nothing .* there are .*stats\.facts, /],
    [['refill'], 2, 'usage', /QUEUE is required/],
    [['show', 'more'], 2, 'usage', /unexpected argument: more/],
    [['delete', 'stats.facts'], 2, 'usage', /queues show/],
  ])('the arguments %j exit with %i and the code %s', async (args, status, code, message) => {
    const { said, ...result } = await operator(...args);
    expect(result.status).toBe(status);
    expect(said).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
  });
});
