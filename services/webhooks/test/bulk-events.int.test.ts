import { type EventPriority, eventTopology } from '@sigcast/contracts';
import { createLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

it('a bulk event that waited in its queue and came twice is delivered once, signed, and again after a failure', async () => {
  const hook = await f.subscribe('/bulk', { types: ['30d'] });
  f.receiver.script('/bulk', 500);
  const event = signalEvent('signal.new', '30d');
  // Nobody consumes yet, and it comes twice.
  await f.publish(event, 'bulk');
  await f.publish(event, 'bulk');
  await f.startWorker();
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'delivered', attempt_count: 2 }),
  );
  const [first, second, ...more] = hook.received();
  expect(more).toEqual([]);
  expect(second?.body).toEqual(first?.body);
  const headers = second?.headers as Record<string, string>;
  expect(new Webhook(hook.secret).verify(second?.body.toString() ?? '', headers)).toMatchObject({
    event: 'signal.new',
    data: { id: event.data.id },
  });
  expect(await f.collections.events.findById(event.id).lean()).toMatchObject({ fanned_out: true });
});

it('a bulk event of an import is logged at level debug from its fan-out to its last attempt, and no other event is', async () => {
  await f.subscribe('/logged', { types: ['3d'], events: ['signal.new', 'signal.dead'] });
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const levelsOf = ({ id }: { id: string }) =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event_id }) => event_id === id)
      .map(({ msg, level }) => [msg, level]);
  await f.startWorker({ log: createLogger({ service: 'w', level: 'debug', destination }) });
  const logged = async (type: 'signal.new' | 'signal.dead', priority: EventPriority) => {
    f.receiver.script('/logged', 500);
    const event = signalEvent(type, '3d');
    await f.publish(event, priority);
    await eventually(() => expect(levelsOf(event)).toHaveLength(3));
    return levelsOf(event);
  };
  const levels = (all: unknown[][]) => [...new Set(all.map(([, level]) => level))];
  const imported = await logged('signal.new', 'bulk');
  expect(imported.map(([msg]) => msg).sort()).toEqual([
    ...['delivery attempted', 'delivery attempted', 'event fanned out'],
  ]);
  expect(levels(imported)).toEqual(['debug']);
  expect(levels(await logged('signal.new', 'live'))).toEqual(['info']);
  // A change of what was imported within the last day.
  expect(levels(await logged('signal.dead', 'bulk'))).toEqual(['info']);
});

it('a bulk event that cannot be read is parked in the queue of parked live events', async () => {
  await f.startWorker();
  const { exchange, fanout } = eventTopology(f.stack.namespace);
  await f.broker.publish({
    exchange,
    routingKey: 'bulk.signal.new',
    messageId: 'unreadable',
    body: Buffer.from('{'),
  });
  await eventually(async () => {
    const parked = await f.broker.withChannel((channel) => channel.checkQueue(fanout.parked));
    expect(parked.messageCount).toBe(1);
  });
});

it('a live event that comes behind 300 bulk ones is delivered before most of them', async () => {
  const bulk = await f.subscribe('/many', { types: ['7d'] });
  const live = await f.subscribe('/live', { types: ['premium'] });
  const events = Array.from({ length: 300 }, () => signalEvent('signal.new', '7d'));
  await Promise.all(events.map((event) => f.publish(event, 'bulk')));
  await f.publish(signalEvent('signal.new', 'premium'));
  await f.startWorker();
  await eventually(() => expect(live.received()).toHaveLength(1));
  expect(bulk.received().length).toBeLessThan(150);
  await eventually(() => expect(new Set(bulk.receivedIds()).size).toBe(300), { timeoutMs: 30_000 });
  expect(await f.collections.deliveries.countDocuments({ subscription: bulk.id })).toBe(300);
}, 45_000);
