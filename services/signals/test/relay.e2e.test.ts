import { type SignalEvent, unavailable } from '@sigcast/contracts';
import { type Broker, refusedByQueue } from '@sigcast/messaging';
import { eventually, startTcpProxy } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { maxWaitingEvents } from '../src/domain/decide-change.ts';
import type { PendingSignal } from '../src/domain/ports.ts';
import type { Outbox, RelayedSignal } from '../src/relay/outbox.ts';
import { mongoOutbox, outboxState } from '../src/store/mongo-outbox.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  collectEvents,
  detailOf,
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

describe('the relay', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let broker: Broker;
  let arrived: SignalEvent[];
  let model: SignalModel;
  let running: AsyncDisposableStack;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    arrived = await collectEvents(stack, broker);
    model = await openModel(stack, resources);
  });
  beforeEach(() => {
    running = new AsyncDisposableStack();
  });
  afterEach(() => running.disposeAsync());
  afterAll(close);

  const service = () => openService({ model, identities });
  const relayingService = (by: Pick<Broker, 'publish'> = broker) =>
    openService({ model, identities, relay: openRelay(stack, running, { model, broker: by }) });
  /** Ids in order of first arrival: a repetition under the same id is harmless. */
  const eventsOf = (id: string) => {
    const events = new Map<string, SignalEvent>();
    for (const event of arrived)
      if (event.data.id === id && !events.has(event.id)) events.set(event.id, event);
    return [...events.values()];
  };
  /** What a replica that has just changed the signal tells its relay. */
  const pendingOf = async (id: string): Promise<PendingSignal> => {
    const { rev, outbox: events } = (await model.findById(id).lean()) ?? { rev: 0, outbox: [] };
    return { id, rev, events, priority: 'live' };
  };
  const typesOf = (id: string) => eventsOf(id).map(({ type, rev }) => `${rev} ${type}`);
  const nothingWaits = () => untilOutboxesAreEmpty(model);

  it('events that were left behind are published while new events never stop coming', async () => {
    const busy = await pendingOf(detailOf(await service().api.post(sampleBody())).id);
    const relay = openRelay(stack, running, { model, broker });
    // The live loop always has something to do, as under steady writes.
    let rev = 0;
    const steady = setInterval(() => {
      rev += 1;
      const events = busy.events.map((event) => ({ ...event, id: `${event.id}_${rev}` }));
      relay.notify([{ ...busy, rev, events }]);
    }, 0);
    running.defer(() => clearInterval(steady));
    const left = detailOf(await service().api.post(sampleBody()));
    await eventually(() => expect(typesOf(left.id)).toEqual(['1 signal.new']));
  });

  it('every change publishes an event with the signal as it was after the change, in order', async () => {
    const { api } = relayingService();
    const created = detailOf(await api.post(sampleBody()));
    const updated = detailOf(await api.patch(created.id, { metrics: { mcap_current: 200_000 } }));
    const winner = detailOf(await api.patch(created.id, { status: 'winner' }));
    const rugged = detailOf(await api.patch(created.id, { status: 'rugged', metrics: { liquidity: 0 } }));
    await eventually(() =>
      expect(typesOf(created.id)).toEqual([
        '1 signal.new',
        '2 signal.updated',
        '3 signal.winner',
        '4 signal.rugged',
      ]),
    );
    expect(eventsOf(created.id).map(({ data }) => data)).toEqual([created, updated, winner, rugged]);
    await nothingWaits();
    expect(await model.findById(created.id).lean()).toMatchObject({ outbox: [], rev: 4 });
  });

  it('an event with unknown members, written by a newer version, is published, and the events after it too', async () => {
    const { id } = detailOf(await service().api.post(sampleBody()));
    await model.updateOne({ _id: id }, { $set: { 'outbox.0.source': 'x', 'outbox.0.data.rank': 1 } });
    await relayingService().api.patch(id, { status: 'dead' });
    await eventually(() => expect(typesOf(id)).toEqual(['1 signal.new', '2 signal.dead']));
  });

  it('events are published after a crash between the write and the relay', async () => {
    const { api } = service();
    const { id } = detailOf(await api.post(sampleBody()));
    await api.patch(id, { status: 'winner' });
    expect(typesOf(id)).toEqual([]);
    openRelay(stack, running, { model, broker });
    await eventually(() => expect(typesOf(id)).toEqual(['1 signal.new', '2 signal.winner']));
    await nothingWaits();
  });

  it('the state of the outbox counts signals with waiting events, and tells the oldest event of each priority', async () => {
    await nothingWaits();
    expect(await outboxState(model)).toEqual({ signals: 0, oldestAt: {} });
    const { api } = service();
    const [old, late] = [detailOf(await api.post(sampleBody())), detailOf(await api.post(sampleBody()))];
    const [claimedAt, oldestAt] = [new Date(Date.now() + 10_000), new Date(Date.now() - 3_600_000)];
    const first = { 'outbox.0.occurred_at': oldestAt.toISOString(), relay_due_at: claimedAt };
    await model.updateOne({ _id: old.id }, { $set: first });
    await api.patch(late.id, { status: 'dead' });
    const { signals, oldestAt: found } = await outboxState(model);
    expect([signals, found.live, found.bulk]).toEqual([2, oldestAt, undefined]);
    // The signal was imported an hour ago.
    await model.updateOne({ _id: old.id }, { $set: { imported_at: oldestAt } });
    const { oldestAt: byPriority } = await outboxState(model);
    expect(byPriority.bulk).toEqual(oldestAt);
    expect(byPriority.live?.getTime()).toBeGreaterThan(oldestAt.getTime());
    await model.deleteMany({ _id: { $in: [old.id, late.id] } });
  });

  it('a claim finds an event at once, however late it was stored', async () => {
    await nothingWaits();
    const { api } = service();
    const outbox = mongoOutbox(model);
    const startedAtMs = Date.now();
    const at = (seconds: number) => new Date(startedAtMs + seconds * 1_000);
    const claimed = async (seconds: number) =>
      (await outbox.claim(at(seconds), at(seconds + 10))).signals.map(({ id }) => id);
    const stored = async (dueAt: Date) => {
      const { id } = detailOf(await api.post(sampleBody()));
      await model.updateOne({ _id: id }, { relay_due_at: dueAt });
      return id;
    };
    expect(await claimed(0)).toEqual([]);
    const late = await stored(at(-3_600));
    expect(await claimed(1)).toEqual([late]);
    expect(await claimed(2)).toEqual([]);
    expect(await claimed(12)).toEqual([late]); // the claim has ended
    await model.deleteMany({ _id: late });
  });

  it('a sweep publishes an import’s events that were left behind, batch after batch', async () => {
    const lines = Array.from({ length: 700 }, () => JSON.stringify(sampleBody({ name: 'swept' })));
    await service().api.import(lines.join('\n'));
    openRelay(stack, running, { model, broker });
    await eventually(() => {
      const swept = arrived.filter(({ data }) => data.token.name === 'swept').map(({ id }) => id);
      expect(new Set(swept).size).toBe(700);
    });
    await nothingWaits();
  });

  it('events wait while the broker is away, without delaying producers, and arrive when it is back', async () => {
    const { hostname, port } = new URL(stack.amqpUrl);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    const { api } = relayingService(await openBroker(stack, running, proxy.through(stack.amqpUrl)));
    const before = detailOf(await api.post(sampleBody()));
    await eventually(() => expect(typesOf(before.id)).toEqual(['1 signal.new']));
    proxy.refuse();
    proxy.cut();
    const answer = await api.post(sampleBody());
    expect(answer.status).toBe(201);
    const { id } = detailOf(answer);
    expect((await api.patch(id, { status: 'dead' })).status).toBe(200);
    expect(await model.findById(id).lean()).toMatchObject({
      outbox: [{ rev: 1 }, { rev: 2 }],
      relay_due_at: expect.any(Date),
    });
    proxy.restore();
    await eventually(() => expect(typesOf(id)).toEqual(['1 signal.new', '2 signal.dead']));
    await nothingWaits();
  });

  it('the relay has no room while many bulk events wait, until they are published or the broker is away', async () => {
    const lines = Array.from({ length: 1_500 }, () => JSON.stringify(sampleBody())).join('\n');
    let leave = () => {};
    const held = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const slow = openRelay(stack, running, { model, broker: { publish: () => held } });
    await slow.hasRoom();
    const { api } = openService({ model, identities, relay: slow });
    await api.import(lines);
    let hasRoom = false;
    const room = slow.hasRoom().then(() => {
      hasRoom = true;
    });
    await api.post(sampleBody());
    expect(hasRoom).toBe(false);
    leave();
    await room;
    await slow.close();

    const away = { publish: () => Promise.reject(unavailable('The broker')) };
    const relay = openRelay(stack, running, { model, broker: away });
    await openService({ model, identities, relay }).api.import(lines);
    await relay.hasRoom();
    await relay.close();
    openRelay(stack, running, { model, broker });
    await nothingWaits();
  });

  it('250 events that a queue refuses delay no event for other queues, neither new events nor those left behind', async () => {
    const { api: writing } = service();
    const left = detailOf(await writing.post(sampleBody())).id;
    await writing.patch(left, { status: 'winner' });
    const others: string[] = [];
    for (let n = 0; n < 3; n++) others.push(detailOf(await writing.post(sampleBody())).id);
    {
      await using first = new AsyncDisposableStack();
      openRelay(stack, first, { model, broker });
      await nothingWaits();
    }
    const refused = await Promise.all(
      Array.from({ length: 250 }, async () => detailOf(await writing.post(sampleBody())).id),
    );
    await writing.patch(left, { status: 'rugged' });
    // Due before everything else, whichever was written first.
    await model.updateMany({ _id: { $in: refused } }, { relay_due_at: new Date(0) });
    const sent: string[] = [];
    const relay = openRelay(stack, running, {
      model,
      broker,
      publish: async ({ type, data }) => {
        if (type === 'signal.new') throw refusedByQueue('it is full');
        sent.push(data.id);
      },
    });
    const { api } = openService({ model, identities, relay });
    await Promise.all([
      ...others.map((id) => api.patch(id, { status: 'winner' })),
      ...Array.from({ length: 20 }, () => api.post(sampleBody())),
    ]);
    await eventually(() => expect(sent.sort()).toEqual([...others, left].sort()));
    await eventually(async () =>
      expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(refused.length + 20),
    );
  });

  it('the events of one signal keep their order under two relays at once', async () => {
    const second = openRelay(stack, running, { model, broker });
    const { api } = relayingService();
    const { id } = detailOf(await api.post(sampleBody()));
    for (let holders = 0; holders < 20; holders++) {
      await api.patch(id, { metrics: { holders } });
      second.notify([await pendingOf(id)]);
    }
    await eventually(() => expect(eventsOf(id)).toHaveLength(21));
    expect(eventsOf(id).map(({ rev }) => rev)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
    await nothingWaits();
  });

  /** A relay without sweeps. The broker confirms after `confirm` is called. Events leave the outbox after `letRemove` is called. */
  const heldRelay = (remove: (outbox: Outbox, signals: readonly RelayedSignal[]) => Promise<void>) => {
    const [confirming, removing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sent: string[] = [];
    const slow: Pick<Broker, 'publish'> = {
      publish: async (message) => {
        sent.push(message.messageId);
        await broker.publish(message);
        await confirming.promise;
      },
    };
    const stored = mongoOutbox(model);
    const outbox: Outbox = {
      ...stored,
      removePublished: async (signals) => {
        await removing.promise;
        await remove(stored, signals);
      },
    };
    const relay = openRelay(stack, running, { model, broker: slow, outbox, sweepEveryMs: 600_000 });
    running.defer(() => {
      confirming.resolve();
      removing.resolve();
    });
    const { api } = openService({ model, identities, relay });
    return { api, sent, confirm: confirming.resolve, letRemove: removing.resolve };
  };

  it('events are published while earlier ones are removed from outboxes; those of the same signal follow, each once', async () => {
    const { api, sent, confirm, letRemove } = heldRelay((outbox, signals) => outbox.removePublished(signals));
    const first = detailOf(await api.post(sampleBody()));
    await eventually(() => expect(typesOf(first.id)).toEqual(['1 signal.new']));
    await api.patch(first.id, { status: 'winner' });
    const second = detailOf(await api.post(sampleBody()));
    confirm();
    await eventually(() => expect(typesOf(second.id)).toEqual(['1 signal.new']));
    expect(typesOf(first.id)).toEqual(['1 signal.new']);
    letRemove();
    await eventually(() => expect(typesOf(first.id)).toEqual(['1 signal.new', '2 signal.winner']));
    await nothingWaits();
    expect(sent).toHaveLength(3);
  });

  it('events that could not be removed from the outbox are published again by a sweep, and other events only once', async () => {
    const failing = new Set<string>();
    const { api, sent, confirm, letRemove } = heldRelay(async (outbox, signals) => {
      if (signals.some(({ id }) => failing.has(id))) throw unavailable('The data store');
      await outbox.removePublished(signals);
    });
    const first = detailOf(await api.post(sampleBody()));
    failing.add(first.id);
    await eventually(() => expect(typesOf(first.id)).toEqual(['1 signal.new']));
    const second = detailOf(await api.post(sampleBody()));
    confirm();
    await eventually(() => expect(typesOf(second.id)).toEqual(['1 signal.new']));
    letRemove();
    await eventually(async () => {
      expect(await model.findById(second.id).lean()).toMatchObject({ outbox: [] });
    });
    expect(await model.findById(first.id).lean()).toMatchObject({ outbox: [{ rev: 1 }] });
    expect(sent).toHaveLength(2);
    openRelay(stack, running, { model, broker });
    await nothingWaits();
  });

  it('three relays share a backlog instead of each publishing all of it', async () => {
    const backlog = 600;
    const lines = Array.from({ length: backlog }, () => JSON.stringify(sampleBody({ name: 'shared' })));
    await service().api.import(lines.join('\n'));
    const sent: string[] = [];
    const counting: Pick<Broker, 'publish'> = {
      publish: async (message) => {
        sent.push(message.messageId);
        await broker.publish(message);
      },
    };
    for (let n = 0; n < 3; n++) openRelay(stack, running, { model, broker: counting });
    await nothingWaits();
    expect(new Set(sent).size).toBe(backlog);
    // Only a claim that ended before its relay was done makes an event published twice.
    expect(sent.length).toBeLessThan(backlog * 1.5);
  });

  it('events that a dead relay had claimed are published by another relay when the claim ends', async () => {
    const { api } = service();
    const { id } = detailOf(await api.post(sampleBody()));
    let hasBegun = false;
    const dying: Pick<Broker, 'publish'> = {
      publish: () => {
        hasBegun = true;
        return new Promise(() => undefined);
      },
    };
    openRelay(stack, running, { model, broker: dying });
    await eventually(() => expect(hasBegun).toBe(true));
    const claimed = await model.findById(id).lean();
    expect(claimed?.relay_due_at?.getTime()).toBeGreaterThan(Date.now());
    const afterTheClaim = () => new Date(Date.now() + 60_000);
    openRelay(stack, running, { model, broker, now: afterTheClaim });
    await eventually(() => expect(typesOf(id)).toEqual(['1 signal.new']));
    await nothingWaits();
  });

  it('a signal with an event that can not be published delays no other signal', async () => {
    const { api } = service();
    const broken = detailOf(await api.post(sampleBody()));
    await model.updateOne({ _id: broken.id }, { $set: { 'outbox.0.version': 99 } });
    const sound = detailOf(await api.post(sampleBody()));
    openRelay(stack, running, { model, broker });
    await eventually(() => expect(typesOf(sound.id)).toEqual(['1 signal.new']));
    expect(await model.findById(broken.id).lean()).toMatchObject({ outbox: [{ version: 99 }] });
    await model.deleteOne({ _id: broken.id });
  });

  it('events that wait when the service stops are published before it ends', async () => {
    const ids: string[] = [];
    const { api } = service();
    for (let n = 0; n < 5; n++) ids.push(detailOf(await api.post(sampleBody())).id);
    // By this clock no event is due for a sweep, so only the notification relays them.
    const relay = openRelay(stack, running, { model, broker, now: () => new Date(0) });
    relay.notify(await Promise.all(ids.map(pendingOf)));
    await relay.close();
    expect(await model.countDocuments({ _id: { $in: ids }, relay_due_at: { $exists: true } })).toBe(0);
    await eventually(() => expect(ids.map((id) => typesOf(id).length)).toEqual(ids.map(() => 1)));
  });

  it('a signal with 1,000 waiting events refuses changes with 503', async () => {
    const { api } = service();
    const { id } = detailOf(await api.post(sampleBody()));
    const document = await model.findById(id).lean();
    const outbox = Array.from({ length: maxWaitingEvents }, () => document?.outbox[0]);
    await model.updateOne({ _id: id }, { $set: { outbox } });
    const refused = await api.patch(id, { status: 'dead' });
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    await model.deleteOne({ _id: id });
  });
});
