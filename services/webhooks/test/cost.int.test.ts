import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { type Connection, createConnection } from 'mongoose';
import type { StoredEvent } from '../src/domain/fan-out.ts';
import { hiddenMs } from '../src/domain/lanes-in-hand.ts';
import { eventLog } from '../src/store/event-log.ts';
import { mongoFanOutStore } from '../src/store/fan-out-store.ts';
import { models } from '../src/store/models.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** A connection that tells its commands, until the scope ends. */
async function watchedConnection(scope: AsyncDisposableStack): Promise<Connection> {
  const options = { dbName: f.database, monitorCommands: true };
  const connection = await createConnection(f.stack.mongodbUri, options).asPromise();
  scope.defer(() => connection.close());
  return connection;
}

/** Documents that a command has written, by its answer. Leases of workers cost a write every two seconds, whatever happens. */
function writesOf(name: string, collection: unknown, reply: unknown): number {
  if (collection === 'workers' || !['insert', 'update', 'delete'].includes(name)) return 0;
  return Number((reply as { n?: unknown }).n);
}

/** What so many events to 8 subscribers or more cost a worker that makes so many attempts at once per subscription. */
async function costOfDelivering(path: string, count: number, maxInFlight: number) {
  const hooks = 8;
  const events = Array.from({ length: count }, () => signalEvent());
  for (let n = 0; n < hooks; n++) await f.subscribe(`/${path}-${n}`);
  const delivered = () =>
    f.collections.deliveries.countDocuments({
      status: 'delivered',
      event_id: { $in: events.map(({ id }) => id) },
    });
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  let [writes, published] = [0, 0];
  const worker = await f.startWorker({
    maxInFlight,
    watched: { connection, onPublish: () => (published += 1) },
  });
  // New subscriptions are looked at once.
  await eventually(async () => {
    const soon = new Date(Date.now() + 2 * hiddenMs);
    expect(await f.collections.subscriptions.countDocuments({ due_at: { $lte: soon } })).toBe(0);
  });
  const collections = new Map<number, unknown>();
  connection.getClient().on('commandStarted', ({ commandName, requestId, command }) => {
    collections.set(requestId, (command as Record<string, unknown>)[commandName]);
  });
  connection.getClient().on('commandSucceeded', ({ commandName, requestId, reply }) => {
    writes += writesOf(commandName, collections.get(requestId), reply);
  });
  await Promise.all(events.map((event) => f.publish(event)));
  const subscriptions = await f.collections.subscriptions.countDocuments({ types: 'new' });
  const deliveries = events.length * subscriptions;
  await eventually(async () => expect(await delivered()).toBe(deliveries));
  await worker[Symbol.asyncDispose]();
  return { writes, published, deliveries, events: events.length, subscriptions };
}

it('costs two writes and no message a delivery, and at most three writes an event, when all goes well', async () => {
  const { writes, published, deliveries, events } = await costOfDelivering('cost', 4, 10);
  expect(published).toBe(0);
  expect(writes).toBeLessThanOrEqual(2 * deliveries + 3 * events);
});

it('costs a third write where a delivery has to wait, and three for a lane that is marked, taken and given back', async () => {
  const { writes, published, deliveries, events, subscriptions } = await costOfDelivering('waiting', 6, 1);
  expect(published).toBe(0);
  expect(writes).toBeGreaterThan(2 * deliveries);
  // A lane in hand is not marked again: few are taken more often than twice for events that come together.
  expect(writes).toBeLessThanOrEqual(3 * deliveries + 3 * events + 3 * 2 * subscriptions);
});

it('is one command a step, for subscribers one a kind of event, for events that come together', async () => {
  const subscribed = await f.subscribe('/together', { types: ['wallet'] });
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  const { keepEvent, matching, openDeliveries, markDue, finish } = mongoFanOutStore(models(connection), {
    now: Date.now,
    worker: () => 'wrk_1',
  });
  const events = Array.from({ length: 10 }, () => signalEvent());
  const keep = () =>
    Promise.all(
      events.map(({ id, occurred_at }) =>
        keepEvent({
          ...{ id, type: 'signal.new', signalId: 'sig_1', signalType: 'new', body: '{}' },
          occurredAt: new Date(occurred_at),
        }),
      ),
    );
  expect(await keep()).toEqual(events.map(() => 'new'));
  const commands: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  const found = await Promise.all(
    events.map((_, at) => matching('signal.new', at % 2 === 0 ? 'wallet' : '30d')),
  );
  expect(commands).toEqual(['find', 'find']);
  expect(found.map((some) => some.some(({ id }) => id === subscribed.id))).toEqual(
    events.map((_, at) => at % 2 === 0),
  );
  commands.length = 0;
  const recipients = found[0] ?? [];
  const claimed = await Promise.all(
    events.map(({ id, data }) => {
      const event = { id, type: 'signal.new', signalId: data.id, body: '{}', again: false } as const;
      return openDeliveries(event, recipients, new Set([deliveryId(id, subscribed.id)]));
    }),
  );
  expect(commands).toEqual(['insert']);
  expect(claimed.map((some) => some.map(({ delivery }) => delivery.id))).toEqual(
    events.map(({ id }) => [deliveryId(id, subscribed.id)]),
  );
  commands.length = 0;
  await Promise.all(events.map(() => markDue(recipients.map(({ id }) => id))));
  expect(commands).toEqual(['update']);
  commands.length = 0;
  await Promise.all(events.map(({ id }) => finish(id)));
  // That they are done, and the last of their places.
  expect(commands).toEqual(['update', 'update']);
  expect(await keep()).toEqual(events.map(() => 'done'));
});

it('is an insert for an event that a worker keeps, while no other one keeps any, and the note of its place at its end', async () => {
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  const { keep, note } = eventLog(models(connection), Date.now);
  for (let n = 0; n < 2; n += 1) expect(await keep(storedEvent())).toBe('new');
  const commands: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  for (let n = 0; n < 3; n += 1) expect(await keep(storedEvent())).toBe('new');
  expect(commands).toEqual(['insert', 'insert', 'insert']);
  await Promise.all([note(), note()]);
  await note();
  expect(commands.slice(3)).toEqual(['update', 'update']);
  // Nor does it insert at random where another one is at work: it looks until it has been alone again.
  commands.length = 0;
  const other = eventLog(f.collections, Date.now);
  for (let n = 0; n < 2; n += 1) {
    await other.keep(storedEvent());
    await keep(storedEvent());
  }
  expect(commands.filter((name) => name === 'insert')).toHaveLength(3);
});

function storedEvent(): StoredEvent {
  const { id, occurred_at } = signalEvent();
  return {
    id,
    type: 'signal.new',
    signalId: 'sig_1',
    signalType: 'new',
    body: '{}',
    occurredAt: new Date(occurred_at),
  };
}
