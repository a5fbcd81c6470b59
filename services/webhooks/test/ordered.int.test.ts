import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { fanOutWatermark } from '../src/store/fan-out-watermark.ts';
import { models } from '../src/store/models.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
const workers: AsyncDisposable[] = [];
beforeAll(async () => {
  f = await fixture();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker[Symbol.asyncDispose]();
});
afterAll(() => f[Symbol.asyncDispose]());

async function own(path: string, more: object) {
  const account = newId('acct');
  const answer = await f
    .as(account, 'post', '/v1/webhooks')
    .send({ url: `${f.receiver.url}${path}`, events: ['signal.new'], ...more })
    .expect(201);
  const { id } = (answer.body as { data: { id: string } }).data;
  await f.prove(id);
  const at = `/v1/webhooks/${id}`;
  const ask = async (method: 'get' | 'patch', body?: object) =>
    ((await f.as(account, method, at).send(body).expect(200)).body as { data: { ordered: boolean } }).data;
  return { id, account, patch: (body: object) => ask('patch', body), get: () => ask('get') };
}

/** The receiver's view: which events were taken, in order, and the most that came at once. */
function taking(path: string, answers: readonly number[]) {
  const taken: string[] = [];
  let [underWay, most] = [0, 0];
  f.receiver.script(
    path,
    ...answers.map((status) => (response: ServerResponse, { headers }: { headers: object }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        if (status === 200) taken.push(String((headers as Record<string, string>)['webhook-id']));
        response.writeHead(status).end();
      }, 5);
    }),
  );
  return { taken, most: () => most };
}
const placed = async (ids: readonly string[]) =>
  (
    await f.collections.events
      .find({ _id: { $in: [...ids] } })
      .sort({ seq: 1 })
      .lean()
  ).map(({ _id }) => _id);

it('an ordered subscription gets events that came together one at a time in the order of the feed, failures in between or not', async () => {
  const events = Array.from({ length: 12 }, () => signalEvent());
  const answers = Array.from({ length: 15 }, (_, n) => (n % 6 === 3 ? 500 : 200));
  const { taken, most } = taking('/ordered', answers);
  await own('/ordered', { ordered: true });
  await own('/beside', {});
  workers.push(await f.startWorker(), await f.startWorker());
  await Promise.all(events.map((event) => f.publish(event)));
  await eventually(() => expect(taken).toHaveLength(events.length));
  expect(taken).toEqual(await placed(events.map(({ id }) => id)));
  expect(most()).toBe(1);
});

it('an ordered subscription gets later events once an earlier one has failed', async () => {
  const events = Array.from({ length: 5 }, () => signalEvent());
  const { taken } = taking('/given-up', [200, 500, 500, 500, 500, 200, 200, 200]);
  await own('/given-up', { ordered: true });
  workers.push(await f.startWorker());
  for (const event of events) await f.publish(event);
  await eventually(() => expect(taken).toHaveLength(events.length - 1));
  const order = await placed(events.map(({ id }) => id));
  expect(taken).toEqual(order.filter((_, n) => n !== 1));
});

it('an ordered subscription gets tests and notices although 120 events wait for a retry', async () => {
  const { taken } = taking('/behind', [200, 200]);
  const behind = await own('/behind', { ordered: true, events: ['signal.new', 'webhook.disabled'] });
  const other = await f.subscribe('/other');
  const { deliveries, subscriptions } = f.collections;
  const at = new Date();
  const last = await lastPlace();
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
  const told = { account: behind.account, slot: 1, notices, notices_since: at };
  await subscriptions.updateOne({ _id: other.id }, { $set: told });
  const test = await f.as(behind.account, 'post', `/v1/webhooks/${behind.id}/test`).expect(201);
  workers.push(await f.startWorker());
  const { event_id } = (test.body as { data: { event_id: string } }).data;
  await eventually(() => expect([...taken].sort()).toEqual([event_id, notice.id].sort()));
  await eventually(async () =>
    expect(await deliveries.countDocuments({ subscription: behind.id, status: 'pending' })).toBe(120),
  );
  await deliveries.deleteMany({ subscription: behind.id });
});

it('a subscription that becomes ordered, or ceases to be, loses no delivery that waits', async () => {
  const hook = await own('/changed', {});
  expect(await hook.get()).toMatchObject({ ordered: false });
  const count = 8;
  const { taken } = taking(
    '/changed',
    Array.from({ length: 3 * count }, () => 200),
  );
  workers.push(await f.startWorker());
  const send = async () => {
    await Promise.all(Array.from({ length: count }, () => f.publish(signalEvent())));
  };
  await send();
  expect(await hook.patch({ ordered: true })).toMatchObject({ ordered: true });
  await send();
  expect(await hook.patch({ ordered: false })).toMatchObject({ ordered: false });
  await send();
  await eventually(() => expect(taken).toHaveLength(3 * count));
  expect(new Set(taken).size).toBe(3 * count);
});

/** An event with this sequence number behind another one. */
const event = (last: number, place: number, at: Date, done: boolean) => ({
  ...{ _id: newId('evt'), seq: last + place, type: 'signal.new', signal_type: 'new' as const, body: '{}' },
  ...{ occurred_at: at, created_at: at, ...(done && { fanned_out: true }) },
});
const lastPlace = async () =>
  (await f.collections.events.find().sort({ seq: -1 }).limit(1).lean())[0]?.seq ?? 0;

it('the fan-out watermark stops before the first event whose deliveries are not all made, for a minute at most', async () => {
  const { events } = f.collections;
  const last = await lastPlace();
  const clock = { now: Date.now() };
  const mark = fanOutWatermark(f.collections, () => clock.now);
  expect(await mark()).toBe(last);
  const at = new Date(clock.now);
  await events.create([event(last, 1, at, true), event(last, 2, at, false), event(last, 3, at, true)]);
  expect(await mark()).toBe(last + 1);
  await events.updateOne({ seq: last + 2 }, { $set: { fanned_out: true } });
  expect(await mark()).toBe(last + 3);
  await events.create([event(last, 4, at, false), event(last, 5, at, true)]);
  expect(await mark()).toBe(last + 3);
  clock.now += 60_001;
  expect(await mark()).toBe(last + 5);
});

it('reading the fan-out watermark reads at most 20 events while the first is not done, and skips what a pause left behind', async () => {
  const last = await lastPlace();
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
  const mark = fanOutWatermark(models(connection), () => clock.now);
  expect(await mark()).toBe(last);
  const made = Array.from({ length: 60 }, (_, n) => event(last, n + 1, new Date(clock.now + n), n > 0));
  await f.collections.events.create(made);
  read = 0;
  expect(await mark()).toBe(last);
  expect(read).toBe(20);
  clock.now += 3_600_000;
  read = 0;
  expect(await mark()).toBe(last + 60);
  expect(read).toBe(1);
});
