import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { fanOutMark } from '../src/store/fan-out-mark.ts';
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
  return { id, patch: (body: object) => ask('patch', body), get: () => ask('get') };
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

describe('an ordered subscription', () => {
  it('gets events that came together one at a time in the order of the feed, failures in between or not', async () => {
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

  it('gets later events once an earlier one is given up', async () => {
    const events = Array.from({ length: 5 }, () => signalEvent());
    const { taken } = taking('/given-up', [200, 500, 500, 500, 500, 200, 200, 200]);
    await own('/given-up', { ordered: true });
    workers.push(await f.startWorker());
    for (const event of events) await f.publish(event);
    await eventually(() => expect(taken).toHaveLength(events.length - 1));
    const order = await placed(events.map(({ id }) => id));
    expect(taken).toEqual(order.filter((_, n) => n !== 1));
  });

  it('becomes one, and ceases to be one, by a change, and loses nothing of what waits', async () => {
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
});

it('the feed counts as made up to the first event whose deliveries are not all made, for a minute at most', async () => {
  const { events } = f.collections;
  const last = (await events.find().sort({ seq: -1 }).limit(1).lean())[0]?.seq ?? 0;
  const clock = { now: Date.now() };
  const mark = fanOutMark(f.collections, () => clock.now);
  expect(await mark()).toBe(last);
  const at = new Date(clock.now);
  const event = (place: number, done: boolean) => ({
    ...{ _id: newId('evt'), seq: last + place, type: 'signal.new', signal_type: 'new' as const, body: '{}' },
    ...{ occurred_at: at, created_at: at, ...(done && { fanned_out: true }) },
  });
  await events.create([event(1, true), event(2, false), event(3, true)]);
  expect(await mark()).toBe(last + 1);
  await events.updateOne({ seq: last + 2 }, { $set: { fanned_out: true } });
  expect(await mark()).toBe(last + 3);
  await events.create([event(4, false), event(5, true)]);
  expect(await mark()).toBe(last + 3);
  clock.now += 60_001;
  expect(await mark()).toBe(last + 5);
});
