import type { ServerResponse } from 'node:http';
import type { SignalEvent } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fanOutWatermark } from '../src/store/fan-out-watermark.ts';
import { models } from '../src/store/models.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

const dataOf = ({ body }: { body: unknown }) => (body as { data: object }).data;

/** Answers requests with these statuses. @returns the events that were answered 200, in order, and the most requests at once. */
function answering(path: string, statuses: readonly number[]) {
  const received: string[] = [];
  let [underWay, most] = [0, 0];
  f.receiver.script(
    path,
    ...statuses.map((status) => (response: ServerResponse, { headers }: { headers: object }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        if (status === 200) received.push(String((headers as Record<string, string>)['webhook-id']));
        response.writeHead(status).end();
      }, 5);
    }),
  );
  return { received, most: () => most };
}

/** The ids of these events in the feed's order. */
async function inFeedOrder(events: readonly SignalEvent[]): Promise<string[]> {
  const ids = events.map(({ id }) => id);
  const found = await f.collections.events
    .find({ _id: { $in: ids } })
    .sort({ sequence: 1 })
    .lean();
  return found.map(({ _id }) => _id);
}

it('an ordered subscription gets events that came together one at a time in the order of the feed, also when some attempts fail', async () => {
  const events = Array.from({ length: 12 }, () => signalEvent());
  const answers = Array.from({ length: 15 }, (_, n) => (n % 6 === 3 ? 500 : 200));
  const { received, most } = answering('/ordered', answers);
  await f.subscribe('/ordered', { ordered: true });
  await f.subscribe('/beside');
  await f.startWorker();
  await f.startWorker();
  await Promise.all(events.map((event) => f.publish(event)));
  await eventually(() => expect(received).toHaveLength(events.length));
  expect(received).toEqual(await inFeedOrder(events));
  expect(most()).toBe(1);
});

it('an ordered subscription gets tests and notices although 120 events wait for a retry', async () => {
  const { received } = answering('/behind', [200, 200]);
  const behind = await f.subscribe('/behind', { ordered: true, events: ['signal.new', 'webhook.disabled'] });
  const other = await f.subscribe('/other');
  const { deliveries, subscriptions } = f.collections;
  const at = new Date();
  const last = await lastSequence();
  const waiting = Array.from({ length: 120 }, (_, n) => ({
    ...newDelivery(
      { id: newId('evt'), type: 'signal.new', signalId: 'sig_1', sequence: last + 1 + n },
      { id: behind.id, account: behind.account, ordered: true },
      at,
    ),
    ...(n === 0 && { next_attempt_at: new Date(at.getTime() + 3_600_000) }),
  }));
  await deliveries.insertMany(waiting);
  const notice = { id: newId('evt'), event: 'webhook.disabled' as const, at };
  const notices = [{ ...notice, failing_since: null, disabled_reason: 'gone' as const }];
  const noticed = { account: behind.account, slot: 1, notices, notices_since: at };
  await subscriptions.updateOne({ _id: other.id }, { $set: noticed });
  const test = dataOf(await behind.ask('post', 'test').expect(201)) as { event_id: string };
  await f.startWorker();
  await eventually(() => expect([...received].sort()).toEqual([test.event_id, notice.id].sort()));
  await eventually(async () =>
    expect(await deliveries.countDocuments({ subscription: behind.id, status: 'pending' })).toBe(120),
  );
  await deliveries.deleteMany({ subscription: behind.id });
});

it('a subscription that becomes ordered or unordered loses no delivery that waits', async () => {
  const hook = await f.subscribe('/changed');
  const patch = async (body: object) => dataOf(await hook.ask('patch').send(body).expect(200));
  expect(dataOf(await hook.ask('get').expect(200))).toMatchObject({ ordered: false });
  const count = 8;
  const { received } = answering(
    '/changed',
    Array.from({ length: 3 * count }, () => 200),
  );
  await f.startWorker();
  const send = async () => {
    await Promise.all(Array.from({ length: count }, () => f.publish(signalEvent())));
  };
  await send();
  expect(await patch({ ordered: true })).toMatchObject({ ordered: true });
  await send();
  expect(await patch({ ordered: false })).toMatchObject({ ordered: false });
  await send();
  await eventually(() => expect(received).toHaveLength(3 * count));
  expect(new Set(received).size).toBe(3 * count);
});

/** An event as stored. `done`: whether all its deliveries are made. */
const event = (sequence: number, { at, done }: { readonly at: Date; readonly done: boolean }) => ({
  _id: newId('evt'),
  sequence,
  type: 'signal.new' as const,
  signal_type: 'new' as const,
  body: '{}',
  signal_id: newId('sig'),
  occurred_at: at,
  created_at: at,
  ...(done && { fanned_out: true }),
});
const lastSequence = async () =>
  (await f.collections.events.find().sort({ sequence: -1 }).limit(1).lean())[0]?.sequence ?? 0;

it('the fan-out watermark stops before the first event whose deliveries are not all made, for a minute at most', async () => {
  const { events } = f.collections;
  const last = await lastSequence();
  const clock = { now: Date.now() };
  const watermark = fanOutWatermark(f.collections, () => clock.now);
  expect(await watermark()).toBe(last);
  const at = new Date(clock.now);
  const done = { at, done: true };
  const begun = { at, done: false };
  await events.create([event(last + 1, done), event(last + 2, begun), event(last + 3, done)]);
  expect(await watermark()).toBe(last + 1);
  await events.updateOne({ sequence: last + 2 }, { $set: { fanned_out: true } });
  expect(await watermark()).toBe(last + 3);
  await events.create([event(last + 4, begun), event(last + 5, done)]);
  expect(await watermark()).toBe(last + 3);
  clock.now += 60_001;
  expect(await watermark()).toBe(last + 5);
});

it('reading the fan-out watermark reads at most 20 events while the first is not done, and skips what a pause left behind', async () => {
  const last = await lastSequence();
  const options = { dbName: f.database, monitorCommands: true };
  await using scope = new AsyncDisposableStack();
  const connection = await createConnection(f.stack.mongodbUri, options).asPromise();
  scope.defer(() => connection.close());
  let read = 0;
  connection.getClient().on('commandSucceeded', ({ commandName, reply }) => {
    if (commandName !== 'find') return;
    read += (reply as { cursor: { firstBatch: readonly unknown[] } }).cursor.firstBatch.length;
  });
  const clock = { now: Date.now() + 120_000 };
  const watermark = fanOutWatermark(models(connection), () => clock.now);
  expect(await watermark()).toBe(last);
  const made = Array.from({ length: 60 }, (_, n) =>
    event(last + n + 1, { at: new Date(clock.now + n), done: n > 0 }),
  );
  await f.collections.events.create(made);
  read = 0;
  expect(await watermark()).toBe(last);
  expect(read).toBe(20);
  clock.now += 3_600_000;
  read = 0;
  expect(await watermark()).toBe(last + 60);
  expect(read).toBe(1);
});
