import { eventTopology, type SignalEvent, signalEventSchema, unavailable } from '@sigcast/contracts';
import {
  type Broker,
  declareEventTopology,
  eventMessageTo,
  inspectQueue,
  parseEventAs,
  type QueueMarks,
  queueMarks,
} from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type QueueIncarnations, startReplay } from '../src/relay/replay.ts';
import { archiveModel } from '../src/store/mongo-archive.ts';
import { mongoQueueIncarnations } from '../src/store/mongo-queue-incarnations.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  declareBounded,
  detailOf,
  fillQueue,
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

describe('the replay of lost queues', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  const topology = eventTopology(stack.namespace);
  let broker: Broker;
  /**
   * Runs one call after the other. Deleting a quorum queue while it is declared or bound may close both connections
   * (RabbitMQ 4.3: 541, INTERNAL_ERROR) and may leave the queue without a leader.
   */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const turn = last.then(call);
    last = turn.catch(() => undefined);
    return turn;
  };
  let model: SignalModel;
  let marks: QueueMarks;
  let incarnations: QueueIncarnations;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    model = await openModel(stack, resources);
    const { queues, declare, mark, isThere, remove } = queueMarks(broker, topology);
    marks = {
      queues,
      declare: () => inTurn(declare),
      mark: (queue) => inTurn(() => mark(queue)),
      isThere,
      remove,
    };
    incarnations = mongoQueueIncarnations(model.db);
  });
  beforeEach(async () => {
    await model.deleteMany({});
    await archiveModel(model.db).deleteMany({});
  });
  afterAll(close);

  const complete = () =>
    eventually(async () => {
      for (const { queue } of marks.queues) {
        expect(await marks.isThere((await incarnations.markOf(queue)) ?? 'none')).toBe(true);
      }
    });
  type Publish = (event: SignalEvent, queue: string) => Promise<void>;
  const watch = (scope: AsyncDisposableStack, publishing: Publish) =>
    startReplay(
      {
        archive: openArchive(model),
        publish: publishing,
        queues: marks,
        incarnations,
        log: silentLogger(),
        everyMs: 50,
      },
      scope,
    );
  const publish: Publish = async (event, queue) => broker.publish(eventMessageTo(queue, event));
  const lose = ({ queue } = topology.fanout) =>
    inTurn(() => broker.withChannel((channel) => channel.deleteQueue(queue)));

  /** All events in the fan-out's bulk queue, through which lost events come. */
  const waiting = async (
    scope: AsyncDisposableStack,
    { queue, parked } = topology.bulkFanout,
  ): Promise<SignalEvent[]> => {
    const events: SignalEvent[] = [];
    const consumer = await broker.consume({
      queue,
      parked,
      prefetch: 1,
      handle: async (message) => void events.push(parseEventAs(message, signalEventSchema)),
    });
    scope.defer(() => consumer.close());
    return events;
  };

  /** Publishes two events of a new signal, whose id is returned. All queues were complete before; nothing fills them now. */
  const publishedSignal = async (scope: AsyncDisposableStack): Promise<string> => {
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    {
      await using before = new AsyncDisposableStack();
      watch(before, publish);
      await complete();
    }
    const { id } = detailOf(await api.post(sampleBody()));
    await api.patch(id, { metrics: { holders: 1 } });
    await untilOutboxesAreEmpty(model);
    return id;
  };

  const ids = (events: readonly SignalEvent[]) => events.map(({ data }) => data.id);

  it('a lost queue gets again, byte for byte, the events that had been published', async () => {
    await using scope = new AsyncDisposableStack();
    watch(scope, publish);
    await complete();
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const created: unknown[] = [];
    for (let n = 0; n < 5; n++) created.push(detailOf(await api.post(sampleBody())));
    await untilOutboxesAreEmpty(model);
    await lose();
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(events.map(({ data }) => data)).toEqual(expect.arrayContaining(created)));
  });

  it('a lost queue of live events is filled through the queue of bulk events, and no other queue gets anything', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await publishedSignal(scope);
    const { stats, fanout, bulkFanout } = topology;
    for (const { queue } of [stats, bulkFanout])
      await broker.withChannel((channel) => channel.purgeQueue(queue));
    await lose();
    watch(scope, publish);
    await complete();
    expect(await inspectQueue(broker, stats.queue)).toMatchObject({ messages: 0 });
    expect(await inspectQueue(broker, fanout.queue)).toMatchObject({ messages: 0 });
    const events = await waiting(scope, bulkFanout);
    await eventually(() => expect(ids(events)).toContain(id));
    // No event of a type that the queue does not get.
    expect(events.map(({ type }) => type)).not.toContain('signal.updated');
  });

  it('the lost queue of statistics is filled with events of every type, and the fan-out’s queues get nothing', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await publishedSignal(scope);
    const { stats, fanout, bulkFanout } = topology;
    for (const { queue } of [fanout, bulkFanout])
      await broker.withChannel((channel) => channel.purgeQueue(queue));
    await lose(stats);
    watch(scope, publish);
    await complete();
    for (const { queue } of [fanout, bulkFanout])
      expect(await inspectQueue(broker, queue)).toMatchObject({ messages: 0 });
    const events = await waiting(scope, stats);
    await eventually(() =>
      expect(events.filter(({ data }) => data.id === id).map(({ type }) => type)).toEqual(
        expect.arrayContaining(['signal.new', 'signal.updated']),
      ),
    );
  });

  it('a lost queue that becomes full gets the remaining events as it drains, and few events twice', async () => {
    await using scope = new AsyncDisposableStack();
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const lines = Array.from({ length: 150 }, () => JSON.stringify(sampleBody())).join('\n');
    expect((await api.import(lines)).status).toBe(200);
    await untilOutboxesAreEmpty(model);
    const created = (await model.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);
    // A stand-in for the queue that is filled.
    const small = `${topology.bulkFanout.queue}.small`;
    stack.ownQueues('webhooks.fanout.bulk.small');
    await declareBounded(broker, small, 20);
    await fillQueue(broker, small);
    await lose();
    let refused = 0;
    watch(scope, async (event, queue) => {
      if (queue !== topology.bulkFanout.queue) return publish(event, queue);
      try {
        await broker.publish(eventMessageTo(small, event));
      } catch (error) {
        refused++;
        throw error;
      }
    });
    await eventually(() => expect(refused).toBeGreaterThan(0));
    const events: SignalEvent[] = [];
    const consumer = await broker.consume({
      queue: small,
      prefetch: 10,
      handle: async (message) => {
        if (message.id !== 'filling') events.push(parseEventAs(message, signalEventSchema));
      },
    });
    scope.defer(() => consumer.close());
    await complete();
    await eventually(() => expect(ids(events)).toEqual(expect.arrayContaining(created)));
    expect(events.length).toBeLessThan(1.5 * new Set(events.map((event) => event.id)).size);
  });

  /** Writes a signal, and resolves when its event is in the archive. */
  const archived = async (scope: AsyncDisposableStack): Promise<string> => {
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const { id } = detailOf(await api.post(sampleBody()));
    await eventually(async () => {
      for await (const batch of openArchive(model).all())
        if (batch.some(({ data }) => data.id === id)) return;
      throw new Error('not yet');
    });
    return id;
  };

  it('a lost queue gets all its events although the replay is interrupted three times', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    await lose();
    let failures = 3;
    watch(scope, async (event, queue) => {
      if (event.data.id === id && failures-- > 0) throw unavailable('The broker');
      await publish(event, queue);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
    expect(failures).toBeLessThanOrEqual(0);
  });

  it('a lost queue gets all its other events although the broker can never take one of them', async () => {
    await using scope = new AsyncDisposableStack();
    const [refused, id] = [await archived(scope), await archived(scope)];
    await lose();
    watch(scope, async (event, queue) => {
      if (event.data.id === refused) throw new Error('it is malformed');
      await publish(event, queue);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
  });

  it('a lost queue that was declared again before the first check is filled all the same', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    {
      await using before = new AsyncDisposableStack();
      watch(before, publish);
      await complete();
    }
    await lose();
    await broker.withChannel((channel) => declareEventTopology(channel, topology));
    watch(scope, publish);
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
  });

  it('a queue that is lost again while it is being filled is filled again', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    await lose();
    let lostAgain = false;
    watch(scope, async (event, queue) => {
      await publish(event, queue);
      if (lostAgain || event.data.id !== id) return;
      lostAgain = true;
      await lose();
      // As the queue's consumer would, or another replica that is about to fill it.
      await marks.declare();
      await marks.mark(topology.fanout);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
    expect(lostAgain).toBe(true);
  });

  it('a mark that was never bound to its queue does not make the queue complete', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    await lose();
    const { marker } = topology.fanout;
    await broker.withChannel(async (channel) => {
      for (const name of [marker, `${marker}.begun`])
        await channel.assertExchange(name, 'fanout', { durable: true, autoDelete: true });
    });
    watch(scope, publish);
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
  });

  it('two replicas that fill a queue at once leave one mark', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    await lose();
    const made: string[] = [];
    const queues = {
      ...marks,
      mark: async (queue: Parameters<QueueMarks['mark']>[0]) => {
        made.push(await marks.mark(queue));
        return made.at(-1) ?? '';
      },
    };
    const archive = openArchive(model);
    for (let replica = 0; replica < 2; replica++)
      startReplay({ archive, publish, queues, incarnations, log: silentLogger(), everyMs: 50 }, scope);
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
    await eventually(async () => {
      const there = [];
      for (const mark of made) if (await marks.isThere(mark)) there.push(mark);
      expect(there).toEqual([await incarnations.markOf(topology.fanout.queue)]);
    });
  });
});
