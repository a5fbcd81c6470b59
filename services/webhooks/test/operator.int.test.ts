import { eventTopology } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperator } from '../src/operator/run.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

type Printed = Record<string, unknown> & { error?: { code: string } };

async function operator(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const env = {
    MONGODB_URI: f.stack.mongodbUri,
    MONGODB_DATABASE: f.database,
    AMQP_URL: f.stack.amqpUrl,
    BROKER_NAMESPACE: f.stack.namespace,
  };
  const status = await runOperator(args, env, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { status, out: out.join('\n'), err: err.join('\n') };
}
async function json(...args: string[]) {
  const { status, out } = await operator(...args, '--json');
  return { status, data: JSON.parse(out) as Printed };
}

async function failed(subscription: string, count: number): Promise<string[]> {
  const at = new Date();
  const events = Array.from({ length: count }, () => signalEvent());
  await f.storeEvents(...events);
  await f.collections.deliveries.create(
    events.map(({ id, data }) => {
      const fields = newDelivery(
        { id, type: 'signal.new', signalId: data.id },
        { id: subscription, account: 'acct' },
        at,
      );
      return { ...fields, status: 'failed' as const, attempt_count: 4, next_attempt_at: null };
    }),
  );
  return events.map(({ id }) => deliveryId(id, subscription));
}

it('an operator can list deliveries by subscription and status, and show each with its attempts', async () => {
  const { id } = await f.subscribe('/listed');
  const ids = await failed(id, 3);
  const list = await json('deliveries', 'list', '--webhook', id, '--status', 'failed', '--limit', '2');
  expect(list).toMatchObject({ status: 0, data: { total: 3 } });
  expect(list.data.deliveries).toHaveLength(2);
  expect((await json('deliveries', 'list', '--webhook', id, '--status', 'pending')).data).toMatchObject({
    total: 0,
    deliveries: [],
  });
  const text = await operator('deliveries', 'list', '--webhook', id);
  expect(text.out).toContain('failed after 4');
  const shown = await json('deliveries', 'show', String(ids[0]));
  expect(shown.data).toMatchObject({ id: ids[0], status: 'failed', attempts: [] });
});

it('an operator can requeue failed deliveries one by one or all, with all their retries, and only once', async () => {
  const { id } = await f.subscribe('/requeued');
  const [first = ''] = await failed(id, 5);
  expect(await json('requeue', 'one', first)).toMatchObject({ status: 0, data: { requeued: 1 } });
  expect(await json('requeue', 'one', first)).toMatchObject({
    status: 1,
    data: { error: { code: 'delivery_pending' } },
  });
  const since = new Date(Date.now() - 60_000).toISOString();
  const all = ['requeue', 'failed', '--webhook', id, '--since', since];
  expect((await json(...all)).data).toEqual({ requeued: 4 });
  expect((await json(...all)).data).toEqual({ requeued: 0 });
  const due = await f.collections.deliveries.find({ subscription: id, status: 'pending' }).lean();
  expect(due.map(({ cycle }) => cycle)).toEqual(Array.from({ length: 5 }, () => ({ from: 4, once: false })));
});

const park = async (...ids: string[]) => {
  for (const id of ids) {
    await f.broker.publish({
      exchange: '',
      routingKey: eventTopology(f.stack.namespace).fanout.parked,
      messageId: id,
      body: Buffer.from(JSON.stringify({ broken: id })),
      headers: { 'sigcast-reason': `can't read ${id}`, 'sigcast-parked-at': '2026-01-01T00:00:00.000Z' },
    });
  }
};
const listed = async () =>
  ((await json('parked', 'list')).data.messages as { id: string; reason: string }[]).map(({ id }) => id);

it('parked messages can be looked at any number of times, and requeued or dropped one by one or all', async () => {
  await park('a', 'b', 'c', 'd');
  for (let look = 0; look < 25; look++) expect(await listed()).toEqual(['a', 'b', 'c', 'd']);
  const { data } = await json('parked', 'list');
  expect(data.messages).toContainEqual({
    id: 'b',
    reason: "can't read b",
    parked_at: '2026-01-01T00:00:00.000Z',
    body: '{"broken":"b"}',
    queue: eventTopology(f.stack.namespace).fanout.queue,
  });
  expect((await json('parked', 'drop', '--id', 'b')).data).toEqual({ dropped: 1 });
  expect((await listed()).sort()).toEqual(['a', 'c', 'd']);
  expect((await json('parked', 'requeue', '--id', 'c')).data).toEqual({ requeued: 1 });
  const { queue } = eventTopology(f.stack.namespace).fanout;
  const requeued = await f.broker.withChannel((channel) => channel.get(queue, { noAck: true }));
  expect(requeued ? requeued.content.toString() : requeued).toBe('{"broken":"c"}');
  expect((await json('parked', 'drop', '--all')).data).toEqual({ dropped: 2 });
  expect(await listed()).toEqual([]);
});

it('parked messages go back to the queue that they come from, also when they were parked again meanwhile', async () => {
  const { exchange, bulkFanout } = eventTopology(f.stack.namespace);
  const worker = await f.startWorker();
  await f.broker.publish({
    exchange,
    routingKey: 'bulk.signal.new',
    messageId: 'slow',
    body: Buffer.from('{'),
  });
  await eventually(async () => expect(await listed()).toEqual(['slow']));
  await worker[Symbol.asyncDispose]();
  expect((await json('parked', 'requeue', '--all')).data).toEqual({ requeued: 1 });
  expect(await listed()).toEqual([]);
  const requeued = await f.broker.withChannel((channel) => channel.get(bulkFanout.queue, { noAck: true }));
  expect(requeued ? requeued.content.toString() : requeued).toBe('{');
});

it('parked messages come back to the fan-out, which parks again what it still can not read', async () => {
  const worker = await f.startWorker();
  await park('e');
  expect((await json('parked', 'requeue', '--all')).data).toEqual({ requeued: 1 });
  await eventually(async () => {
    const { data } = await json('parked', 'list');
    expect((data.messages as { reason: string }[])[0]?.reason).toContain('not a signal event');
  });
  await worker[Symbol.asyncDispose]();
  await json('parked', 'drop', '--all');
});

it.each([
  [['deliveries', 'list'], 2, 'usage'],
  [['deliveries', 'list', '--webhook', 'x'], 2, 'usage'],
  [['deliveries', 'show', 'evt_none.wh_none'], 1, 'delivery_not_found'],
  [['requeue', 'one', 'evt_none.wh_none'], 1, 'delivery_not_found'],
  [['requeue', 'failed', '--since', '2026-01-01'], 2, 'usage'],
  [['parked', 'drop'], 2, 'usage'],
  [['parked', 'drop', '--all', '--id', 'x'], 2, 'usage'],
  [['parked', 'requeue', '--id', 'nothing'], 1, 'not_parked'],
  [[], 2, 'usage'],
])('an operator command that cannot be done: %j exits with %i and says %s', async (args, status, code) => {
  const result = await json(...args);
  expect({ status: result.status, code: result.data.error?.code }).toEqual({ status, code });
});
