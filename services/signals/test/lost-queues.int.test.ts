import { type EventQueue, eventTopology, type OutgoingEvent, type SignalEvent } from '@sigcast/contracts';
import {
  type Broker,
  connectBroker,
  eventDeclarations,
  eventMessageTo,
  inspectQueue,
  parseEventAs,
} from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually, type TestStack } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addLostQueues } from '../src/metrics.ts';
import { runOperator } from '../src/operator/run.ts';
import { type LostQueues, noteLost, refill } from '../src/relay/lost-queues.ts';
import { archiveModel } from '../src/store/mongo-archive.ts';
import { mongoLostQueues } from '../src/store/mongo-lost-queues.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  declareBounded,
  detailOf,
  fillQueue,
  openArchive,
  openModel,
  openRelay,
  openService,
  openStack,
  testIdentities,
  untilOutboxesAreEmpty,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('lost queues', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  const topology = eventTopology(stack.namespace);
  const { stats, fanout, bulkFanout } = topology;
  let broker: Broker;
  let model: SignalModel;
  let lost: LostQueues;
  beforeAll(async () => {
    model = await openModel(stack, resources);
    lost = mongoLostQueues(model.db);
    const declare = eventDeclarations(
      topology,
      noteLost({ archive: openArchive(model), lost, log: silentLogger() }),
    );
    const settings = { urls: [stack.amqpUrl], name: 'signals-test', declare, declareEveryMs: 100 };
    broker = await connectBroker(settings, silentLogger(), resources);
    // On a busy machine the broker may take longer than a service waits for it at its start.
    await eventually(() => expect(broker.connected).toBe(true));
  });
  beforeEach(async () => {
    await archiveModel(model.db).deleteMany({});
    await model.db.collection('lost_queues').deleteMany({});
    for (const { queue } of [stats, fanout, bulkFanout])
      await broker.withChannel((channel) => channel.purgeQueue(queue));
  });
  afterAll(close);

  const operator = (...args: string[]) => runQueues(stack, args);
  const shown = async (queue: string) => {
    const { queues } = (await operator('show')).said as { queues: { queue: string }[] };
    return queues.find((each) => each.queue === queue);
  };
  /** Deletes a queue, and resolves when it is there again, and bound. */
  const lose = async ({ queue }: EventQueue) => {
    await broker.withChannel((channel) => channel.deleteQueue(queue));
    await eventually(async () => expect(await inspectQueue(broker, queue)).toBeDefined());
    // It is bound a moment after it is declared; binding it twice is harmless.
    for (const declare of eventDeclarations(topology)) {
      await broker.withChannel((channel) => declare(channel));
    }
  };
  const lostNow = async () => [...(await lost.all()).keys()];
  const waitingIn = async ({ queue }: EventQueue) => (await inspectQueue(broker, queue)) ?? 'missing';
  /** Creates signals, and resolves when their events are published. */
  const published = async (count: number): Promise<unknown[]> => {
    await using scope = new AsyncDisposableStack();
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const created: unknown[] = [];
    for (let n = 0; n < count; n++) created.push(detailOf(await api.post(sampleBody())));
    await untilOutboxesAreEmpty(model);
    return created;
  };
  /** Consumes a queue. @returns the events that arrive. */
  const consume = async (scope: AsyncDisposableStack, queue: string, prefetch = 10) => {
    const events: SignalEvent[] = [];
    const consumer = await broker.consume({
      queue,
      prefetch,
      handle: async (message) => {
        if (message.id !== 'filling') events.push(parseEventAs<SignalEvent>(message, anyEvent));
      },
    });
    scope.defer(() => consumer.close());
    return events;
  };
  /** Any JSON: what arrives is compared with what was answered. */
  const anyEvent = { safeParse: (data: unknown) => ({ success: true as const, data: data as SignalEvent }) };
  const publish = async (event: OutgoingEvent, queue: string) => broker.publish(eventMessageTo(queue, event));
  const refillStats = (publishing: typeof publish) =>
    refill({ archive: openArchive(model), lost, publish: publishing, log: silentLogger() }, stats);

  it('a lost queue is noted while its consumer runs and while it is away; `queues refill` brings its events again, byte for byte, and no other queue gets anything', async () => {
    await using scope = new AsyncDisposableStack();
    const registry = new Registry();
    addLostQueues(registry, [stats, fanout], lost);
    const gauge = () => registry.metrics();
    const arrived = await consume(scope, stats.queue);
    const running = await published(2);
    await eventually(() => expect(arrived.map(({ data }) => data)).toEqual(expect.arrayContaining(running)));
    arrived.length = 0;
    await lose(stats);
    expect(await lostNow()).toEqual([stats.queue]);
    // An event after the loss reaches the queue by itself, as soon as it is consumed again.
    const after = await published(1);
    await eventually(() => expect(arrived.map(({ data }) => data)).toEqual(expect.arrayContaining(after)));
    expect(arrived).toHaveLength(1);
    await scope.disposeAsync();
    await lose(stats);
    for (const { queue } of [fanout, bulkFanout])
      await broker.withChannel((channel) => channel.purgeQueue(queue));
    await eventually(async () => expect(await gauge()).toContain(`{queue="${stats.queue}"} 1`));
    expect(await gauge()).toContain(`{queue="${fanout.queue}"} 0`);
    expect(await shown(stats.queue)).toMatchObject({ state: 'lost', messages: 0 });

    expect(await operator('refill', stats.queue)).toEqual({
      status: 0,
      said: { queue: stats.queue, refilled_by: stats.queue, events: 3 },
    });
    await using again = new AsyncDisposableStack();
    const refilled = await consume(again, stats.queue);
    await eventually(() =>
      expect(refilled.map(({ data }) => data)).toEqual(expect.arrayContaining([...running, ...after])),
    );
    expect(refilled).toHaveLength(3);
    for (const queue of [fanout, bulkFanout]) expect(await waitingIn(queue)).toMatchObject({ messages: 0 });
    expect(await shown(stats.queue)).toMatchObject({ state: 'ok' });
    await eventually(async () => expect(await gauge()).toContain(`{queue="${stats.queue}"} 0`));
  });

  it('a lost queue of live events is refilled through the queue of bulk events, with the types that it gets alone', async () => {
    await published(2);
    await archiveModel(model.db).updateOne({}, { 'event.type': 'signal.updated' });
    await lose(fanout);
    await broker.withChannel((channel) => channel.purgeQueue(stats.queue));
    const { said } = await operator('refill', fanout.queue);
    expect(said).toEqual({ queue: fanout.queue, refilled_by: bulkFanout.queue, events: 1 });
    await eventually(async () => expect(await waitingIn(bulkFanout)).toMatchObject({ messages: 1 }));
    for (const queue of [fanout, stats]) expect(await waitingIn(queue)).toMatchObject({ messages: 0 });
    expect(await lostNow()).toEqual([]);
  });

  it('in a system without events, a queue that is not there yet is not lost', async () => {
    await lose(stats);
    expect(await lostNow()).toEqual([]);
  });

  it('a queue that is full while it is refilled gets the remaining events as it drains, and no event twice', async () => {
    await using scope = new AsyncDisposableStack();
    const created = await published(30);
    // A stand-in for the queue that is refilled.
    const small = `${stats.queue}.small`;
    stack.ownQueues('stats.facts.small');
    await declareBounded(broker, small, 5);
    await fillQueue(broker, small);
    let refused = 0;
    const refilled = refillStats(async (event) => {
      try {
        await publish(event, small);
      } catch (error) {
        refused++;
        throw error;
      }
    });
    await eventually(() => expect(refused).toBeGreaterThan(0));
    const events = await consume(scope, small);
    expect(await refilled).toBe(30);
    await eventually(() => expect(events.map(({ data }) => data)).toEqual(expect.arrayContaining(created)));
    expect(events).toHaveLength(30);
  });

  it('a queue is refilled with all its other events although the broker can never take one of them', async () => {
    await published(3);
    let tries = 0;
    const refilled = await refillStats(async (event, queue) => {
      if (tries++ === 0) throw new Error('it is malformed');
      await publish(event, queue);
    });
    expect(refilled).toBe(2);
  });

  it('a queue stays lost when it is lost again while it is refilled', async () => {
    await published(1);
    await lose(stats);
    await refillStats(async () => lose(stats));
    expect(await lostNow()).toEqual([stats.queue]);
  });

  it('`queues show` shows each queue’s messages, consumers and parked messages', async () => {
    await using scope = new AsyncDisposableStack();
    await consume(scope, fanout.queue, 1);
    await broker.publish({
      exchange: '',
      routingKey: stats.parked,
      messageId: 'unreadable',
      body: Buffer.from('{'),
    });
    await eventually(async () =>
      expect(await shown(fanout.queue)).toEqual({
        queue: fanout.queue,
        state: 'ok',
        messages: 0,
        consumers: 1,
        parked_queue: fanout.parked,
        parked: 0,
      }),
    );
    expect(await shown(stats.queue)).toMatchObject({ consumers: 0, parked: 1 });
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

it('`queues show` shows missing queues and declares nothing', async () => {
  const { stack, close } = openStack();
  for (let n = 0; n < 2; n++) {
    const { queues } = (await runQueues(stack, ['show'])).said as { queues: { state: string }[] };
    expect(queues.map(({ state }) => state)).toEqual(Array(4).fill('missing'));
  }
  await close();
});

/** Runs an operator command about queues. */
async function runQueues(stack: TestStack, args: readonly string[]) {
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
}
