import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventTopology, type SignalEvent, unavailable } from '@sigcast/contracts';
import {
  type Broker,
  declareEventTopology,
  eventMessage,
  markQueues,
  parseEvent,
  unmarkedQueues,
} from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { startReplay } from '../src/relay/replay.ts';
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
  let model: SignalModel;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    model = await openModel(stack, resources);
  });
  beforeEach(() => model.deleteMany({}));
  afterAll(close);

  const complete = () => eventually(async () => expect(await unmarkedQueues(broker, topology)).toEqual([]));
  const watch = (scope: AsyncDisposableStack, publish: (event: SignalEvent) => Promise<void>) =>
    startReplay(
      {
        archive: openArchive(model),
        publish,
        unmarkedQueues: () => unmarkedQueues(broker, topology),
        markQueues: (queues) => markQueues(broker, queues),
        log: silentLogger(),
        everyMs: 50,
      },
      scope,
    );
  const publish = (event: SignalEvent) => broker.publish(eventMessage(topology.exchange, event));
  const lose = () => broker.withChannel((channel) => channel.deleteQueue(topology.fanout.queue));

  /** Everything that waits for the fan-out. */
  const waiting = async (scope: AsyncDisposableStack): Promise<SignalEvent[]> => {
    const events: SignalEvent[] = [];
    const { queue, parked } = topology.fanout;
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

  it('that was deleted and declared again by somebody else is noticed all the same', async () => {
    await using scope = new AsyncDisposableStack();
    watch(scope, publish);
    await complete();
    await scope.disposeAsync();
    await lose();
    expect((await unmarkedQueues(broker, topology)).map(({ queue }) => queue)).toEqual([
      topology.fanout.queue,
    ]);
  });

  it('that is lost once more while it is being filled is not taken for complete', async () => {
    await markQueues(broker, await unmarkedQueues(broker, topology));
    await lose();
    const lost = await unmarkedQueues(broker, topology);
    await lose();
    await broker.withChannel((channel) => declareEventTopology(channel, topology));
    await expect(markQueues(broker, lost)).rejects.toThrow('lost');
    expect((await unmarkedQueues(broker, topology)).map(({ queue }) => queue)).toEqual([
      topology.fanout.queue,
    ]);
  });
});
