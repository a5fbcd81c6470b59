import { eventually } from '@sigcast/testing';
import { type Connection, createConnection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { holdMs } from '../src/domain/lane.ts';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { eventLog } from '../src/store/event-log.ts';
import { mongoFanOutStore } from '../src/store/fan-out-store.ts';
import { mongoLaneStore } from '../src/store/lane-store.ts';
import { models } from '../src/store/models.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { storedEventOf } from './fixtures/signal-event.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** A connection whose commands can be watched, until the scope ends. */
async function watchedConnection(scope: AsyncDisposableStack): Promise<Connection> {
  const options = { dbName: f.database, monitorCommands: true, autoCreate: false, autoIndex: false };
  const connection = await createConnection(f.stack.mongodbUri, options).asPromise();
  scope.defer(() => connection.close());
  return connection;
}

/** What a worker fans out and attempts with, on a connection whose commands can be watched. */
async function watchedStores(scope: AsyncDisposableStack) {
  const connection = await watchedConnection(scope);
  const collections = models(connection);
  return {
    connection,
    ...mongoFanOutStore(collections, Date.now),
    ...mongoAttemptStore(collections, { now: Date.now, worker: () => 'wrk_1' }),
  };
}

/** How many documents a command has written, by its answer. The leases of workers, a write every two seconds, do not count. */
function writesOf(name: string, collection: unknown, reply: unknown): number {
  if (collection === 'workers' || !['insert', 'update', 'delete'].includes(name)) return 0;
  return Number((reply as { n?: unknown }).n);
}

/** What `count` events to 8 subscribers or more cost a worker that makes `maxInFlight` attempts at once per subscription. */
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
    connection,
    onPublish: () => (published += 1),
  });
  // Lanes of new subscriptions are queried once.
  await eventually(async () => {
    const soon = new Date(Date.now() + 2 * holdMs);
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
  const cost = { writes, published };
  await worker[Symbol.asyncDispose]();
  return { ...cost, deliveries, events: events.length, subscriptions };
}

it.each([10, 1])(
  'a delivery costs three writes and no message, its event at most three writes, and its lane two at most in 15 s, when %i attempts are made at once',
  async (maxInFlight) => {
    const cost = await costOfDelivering(`cost-${maxInFlight}`, 6, maxInFlight);
    expect(cost.published).toBe(0);
    // Events that come together may activate a lane twice.
    const ofLanes = 2 * cost.subscriptions;
    expect(cost.writes).toBeLessThanOrEqual(3 * cost.deliveries + 3 * cost.events + ofLanes);
  },
);

it('events that come together are fanned out by one command for each step, and by one search of subscribers for each kind of event', async () => {
  const subscribed = await f.subscribe('/together', { types: ['wallet'] });
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  const collections = models(connection);
  const { appendEvent, matching, openDeliveries, markFannedOut } = mongoFanOutStore(collections, Date.now);
  const { markDue } = mongoLaneStore(collections, Date.now);
  const events = Array.from({ length: 10 }, () => signalEvent());
  const append = () => Promise.all(events.map((event) => appendEvent(storedEventOf(event))));
  expect(await append()).toEqual(events.map(() => 'new'));
  const commands: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  const found = await Promise.all(
    events.map((_, at) => matching('signal.new', at % 2 === 0 ? 'wallet' : '30d', '')),
  );
  expect(commands).toEqual(['find', 'find']);
  expect(found.map((some) => some.some(({ id }) => id === subscribed.id))).toEqual(
    events.map((_, at) => at % 2 === 0),
  );
  commands.length = 0;
  const recipients = found[0] ?? [];
  const opened = await Promise.all(
    events.map(({ id, data }) => {
      const event = {
        id,
        type: 'signal.new',
        signalId: data.id,
        symbol: 'NOVA',
        body: '{}',
        redelivered: false,
      } as const;
      return openDeliveries(event, recipients);
    }),
  );
  expect(commands).toEqual(['insert']);
  expect(opened.map((some) => some.map(({ pending }) => pending?.id))).toEqual(
    events.map(({ id }) => recipients.map((recipient) => deliveryId(id, recipient.id))),
  );
  commands.length = 0;
  await Promise.all(events.map(() => markDue(recipients.map(({ id }) => id))));
  expect(commands).toEqual(['update']);
  commands.length = 0;
  await Promise.all(events.map(({ id }) => markFannedOut(id)));
  // One marks the events as done, the other saves the last sequence number.
  expect(commands).toEqual(['update', 'update']);
  expect(await append()).toEqual(events.map(() => 'done'));
});

it('new deliveries are claimed without reading them, unless another worker was first to attempt one', async () => {
  const subscribed = await f.subscribe('/claimed', { types: ['wallet'] });
  const events = Array.from({ length: 3 }, () => signalEvent());
  await f.storeEvents(...events);
  await using scope = new AsyncDisposableStack();
  const { connection, matching, openDeliveries, claim } = await watchedStores(scope);
  const recipients = (await matching('signal.new', 'wallet', '')).filter(({ id }) => id === subscribed.id);
  const opened = await Promise.all(
    events.map(({ id, data }) =>
      openDeliveries(
        { id, type: 'signal.new', signalId: data.id, symbol: 'NOVA', body: '{}', redelivered: false },
        recipients,
      ),
    ),
  );
  const [attempted, ...untouched] = opened.flat().flatMap(({ pending }) => pending ?? []);
  const finds: unknown[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') finds.push(command.find);
  });
  const claimed = await Promise.all(untouched.map((delivery) => claim(delivery, { proven: true })));
  expect(claimed).toMatchObject(untouched.map(({ id }) => ({ delivery: { id, attemptCount: 0 } })));
  expect(finds).toEqual(['subscriptions']);
  const id = attempted?.id ?? '';
  await f.collections.deliveries.updateOne({ _id: id }, { $set: { attempt_count: 1 } });
  expect(await claim({ id, made: attempted?.made }, { proven: true })).toBeUndefined();
  expect(await claim({ id }, { proven: true })).toMatchObject({ delivery: { id, attemptCount: 1 } });
});

it('what waits in several lanes is read together where it is little, and lane by lane where it is much', async () => {
  const paths = ['/quiet', '/calm', '/busy'];
  const hooks = await Promise.all(paths.map((path) => f.subscribe(path, { types: ['7d'] })));
  const events = Array.from({ length: 3 }, () => signalEvent());
  await f.storeEvents(...events);
  await using scope = new AsyncDisposableStack();
  const { connection, matching, openDeliveries, oldestPending } = await watchedStores(scope);
  const recipients = await matching('signal.new', '7d', '');
  for (const { id, data } of events) {
    const event = { id, type: 'signal.new' as const, signalId: data.id, symbol: 'NOVA', body: '{}' };
    await openDeliveries({ ...event, redelivered: false }, recipients);
  }
  let finds = 0;
  connection.getClient().on('commandStarted', ({ commandName }) => {
    if (commandName === 'find') finds += 1;
  });
  const waiting = async () => {
    finds = 0;
    const asked = hooks.map(({ id }) => oldestPending(id, { limit: 100, since: undefined }));
    return (await Promise.all(asked)).map((found) => found.map(({ id }) => id));
  };
  const few = hooks.map((hook) => events.map(({ id }) => deliveryId(id, hook.id)));
  expect(await waiting()).toEqual(few);
  expect(finds).toBe(1);

  const [last] = await f.collections.deliveries.find({ _id: few[2]?.at(-1) ?? '' }).lean();
  const more = Array.from({ length: 1_000 }, (_, n) => ({ ...last, _id: `dlv_more_${n}` }));
  await f.collections.deliveries.collection.insertMany(more as never[]);
  const [quiet, calm, busy = []] = await waiting();
  expect([quiet, calm]).toEqual(few.slice(0, 2));
  expect([busy.length, busy.slice(0, 2)]).toEqual([100, few[2]?.slice(0, 2)]);
  expect(finds).toBe(1 + hooks.length);
  // From now on no other lane waits for the long one.
  expect(await waiting()).toEqual([quiet, calm, busy]);
  expect(finds).toBe(2);
});

it('appending an event costs the only writer one insert, and one save of the last sequence number at the end', async () => {
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  const { append, saveLast } = eventLog(models(connection), Date.now);
  for (let n = 0; n < 2; n += 1) expect(await append(storedEventOf(signalEvent()))).toBe('new');
  const commands: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  for (let n = 0; n < 3; n += 1) expect(await append(storedEventOf(signalEvent()))).toBe('new');
  expect(commands).toEqual(['insert', 'insert', 'insert']);
  await Promise.all([saveLast(), saveLast()]);
  await saveLast();
  expect(commands.slice(3)).toEqual(['update', 'update']);
  // Beside another writer it reads the last number before each insert, so few of its inserts are refused.
  commands.length = 0;
  const other = eventLog(f.collections, Date.now);
  for (let n = 0; n < 2; n += 1) {
    await other.append(storedEventOf(signalEvent()));
    await append(storedEventOf(signalEvent()));
  }
  expect(commands.filter((name) => name === 'insert')).toHaveLength(3);
});

it('deliveries of imported events with many subscribers are made by one command at a time', async () => {
  await using scope = new AsyncDisposableStack();
  const connection = await watchedConnection(scope);
  const { openDeliveries } = mongoFanOutStore(models(connection), Date.now);
  const most = { atOnce: 0, inAll: 0 };
  let underWay = 0;
  const client = connection.getClient();
  // Also those that wait for a connection: how soon there is one is the driver's.
  client.on('connectionCheckOutStarted', () => {
    underWay += 1;
    most.inAll += 1;
    most.atOnce = Math.max(most.atOnce, underWay);
  });
  client.on('commandSucceeded', () => {
    underWay -= 1;
  });
  const recipients = Array.from({ length: 60 }, (_, n) => ({
    id: `wh_many${n}`,
    account: 'acct_1',
    url: 'https://example.com/',
    proven: true,
    ordered: false,
    suspended: false,
  }));
  const open = (imported: boolean) =>
    Promise.all(
      Array.from({ length: 5 }, () => signalEvent()).map(({ id, data }) => {
        const event = {
          id,
          type: 'signal.new',
          signalId: data.id,
          symbol: 'NOVA',
          body: '{}',
          imported,
          redelivered: false,
        } as const;
        return openDeliveries(event, recipients);
      }),
    );
  await open(true);
  expect(most).toEqual({ atOnce: 1, inAll: 5 });
  await open(false);
  expect(most).toEqual({ atOnce: 5, inAll: 10 });
});
