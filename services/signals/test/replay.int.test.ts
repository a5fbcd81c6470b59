import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventTopology, type SignalEvent, unavailable } from '@sigcast/contracts';
import {
  type Broker,
  declareEventTopology,
  eventMessage,
  parseEvent,
  type QueueMarks,
  queueMarks,
} from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { type FilledQueues, startReplay } from '../src/relay/replay.ts';
import { mongoFilledQueues } from '../src/store/mongo-filled-queues.ts';
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
} from './fixture.ts';
import { sampleBody } from './samples.ts';

jest.setTimeout(60_000);

describe('a lost queue', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  const topology = eventTopology(stack.namespace);
  let broker: Broker;
  /**
   * Runs one call after the other. A quorum queue that is deleted while it is declared or bound costs either side its
   * connection now and then (RabbitMQ 4.3: 541, INTERNAL_ERROR), and may be left without a leader.
   */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const turn = last.then(call);
    last = turn.catch(() => undefined);
    return turn;
  };
  let model: SignalModel;
  let marks: QueueMarks;
  let filled: FilledQueues;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    model = await openModel(stack, resources);
    const { declare, mark, isThere, remove } = queueMarks(broker, topology);
    marks = {
      declare: () => inTurn(declare),
      mark: (queue) => inTurn(() => mark(queue)),
      ...{ isThere, remove },
    };
    filled = mongoFilledQueues(model.db);
  });
  beforeEach(() => model.deleteMany({}));
  afterAll(close);

  const complete = () =>
    eventually(async () => {
      for (const { queue } of await marks.declare()) {
        expect(await marks.isThere((await filled.markOf(queue)) ?? 'none')).toBe(true);
      }
    });
  const watch = (scope: AsyncDisposableStack, publishing: (event: SignalEvent) => Promise<void>) =>
    startReplay(
      {
        ...{ archive: openArchive(model), publish: publishing },
        ...{ queues: marks, filled, log: silentLogger(), everyMs: 50 },
      },
      scope,
    );
  const publish = (event: SignalEvent) => broker.publish(eventMessage(topology.exchange, event));
  const lose = () =>
    inTurn(() => broker.withChannel((channel) => channel.deleteQueue(topology.fanout.queue)));

  /** Everything that waits for the fan-out. */
  const waiting = async (
    scope: AsyncDisposableStack,
    { queue, parked } = topology.fanout,
  ): Promise<SignalEvent[]> => {
    const events: SignalEvent[] = [];
    const consumer = await broker.consume({
      ...{ queue, parked, prefetch: 1 },
      handle: async (message) => void events.push(parseEvent(message)),
    });
    scope.defer(() => consumer.close());
    return events;
  };

  it('gets again, byte for byte, what had left the outbox', async () => {
    await using scope = new AsyncDisposableStack();
    watch(scope, publish);
    await complete();
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const created: unknown[] = [];
    for (let n = 0; n < 5; n++) created.push(detailOf(await api.post(sampleBody())));
    await eventually(async () =>
      expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(0),
    );
    await lose();
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(events.map(({ data }) => data)).toEqual(expect.arrayContaining(created)));
  });

  it('gets it by the queue of bulk events, behind which no live one waits', async () => {
    await using scope = new AsyncDisposableStack();
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const { id } = detailOf(await api.post(sampleBody()));
    await eventually(async () =>
      expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(0),
    );
    await lose();
    startReplay(
      {
        archive: openArchive(model),
        publish: (event, priority) => broker.publish(eventMessage(topology.exchange, event, priority)),
        ...{ queues: marks, filled, log: silentLogger(), everyMs: 50 },
      },
      scope,
    );
    await complete();
    const events = await waiting(scope, topology.bulkFanout);
    await eventually(() => expect(events.map(({ data }) => data.id)).toContain(id));
    const { queue } = topology.fanout;
    expect(await broker.withChannel((channel) => channel.checkQueue(queue))).toMatchObject({
      messageCount: 0,
    });
  });

  it('gets everything although the replay is interrupted at any event', async () => {
    await using scope = new AsyncDisposableStack();
    const archive = openArchive(model);
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const { id } = detailOf(await api.post(sampleBody()));
    await eventually(async () => {
      const kept: string[] = [];
      for await (const batch of archive.all()) kept.push(...batch.map(({ data }) => data.id));
      expect(kept).toContain(id);
    });
    await lose();
    let failures = 3;
    watch(scope, async (event) => {
      if (event.data.id === id && failures-- > 0) throw unavailable('The broker');
      await publish(event);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(events.map(({ data }) => data.id)).toContain(id));
    expect(failures).toBeLessThanOrEqual(0);
  });

  it('gets all the rest although the broker can never take one of them', async () => {
    await using scope = new AsyncDisposableStack();
    const archive = openArchive(model);
    const { api } = openService({ model, identities, relay: openRelay(stack, scope, { model, broker }) });
    const refused = detailOf(await api.post(sampleBody()));
    const { id } = detailOf(await api.post(sampleBody()));
    await eventually(async () => {
      const kept: string[] = [];
      for await (const batch of archive.all()) kept.push(...batch.map(({ data }) => data.id));
      expect(kept).toEqual(expect.arrayContaining([refused.id, id]));
    });
    await lose();
    watch(scope, async (event) => {
      if (event.data.id === refused.id) throw new Error('it is malformed');
      await publish(event);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(events.map(({ data }) => data.id)).toContain(id));
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
  const ids = (events: readonly SignalEvent[]) => events.map(({ data }) => data.id);

  it('that somebody else declared again before anybody looked is noticed all the same', async () => {
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

  it('that is lost once more while it is being filled is filled again', async () => {
    await using scope = new AsyncDisposableStack();
    const id = await archived(scope);
    await lose();
    let lostAgain = false;
    watch(scope, async (event) => {
      await publish(event);
      if (lostAgain || event.data.id !== id) return;
      lostAgain = true;
      await lose();
      // As its consumer, or another replica about to fill it, would.
      const [, fanout] = await marks.declare();
      if (fanout) await marks.mark(fanout);
    });
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
    expect(lostAgain).toBe(true);
  });

  it('is not taken for full because of a mark whose maker died before it was bound', async () => {
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

  it('is filled by replicas at once, and one mark stays', async () => {
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
      startReplay({ archive, publish, queues, filled, log: silentLogger(), everyMs: 50 }, scope);
    await complete();
    const events = await waiting(scope);
    await eventually(() => expect(ids(events)).toContain(id));
    await eventually(async () => {
      const there = [];
      for (const mark of made) if (await marks.isThere(mark)) there.push(mark);
      expect(there).toEqual([await filled.markOf(topology.fanout.queue)]);
    });
  });
});
