import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { mongoWorkerRegistry } from '../src/store/worker-registry.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

const batch = { max: 100, wait_ms: 0 };
const idsIn = ({ body }: { readonly body: Buffer }) =>
  (JSON.parse(body.toString()) as { id: string }[]).map(({ id }) => id);
const dataOf = ({ body }: { body: unknown }) => (body as { data: { attempts?: unknown } }).data;

/** Publishes events while nobody sends them, and returns their ids in the feed's order. */
async function waiting(hook: Awaited<ReturnType<Fixture['subscribe']>>, count: number): Promise<string[]> {
  await hook.ask('patch').send({ status: 'disabled' }).expect(200);
  await hook.ask('patch').send({ status: 'enabled' }).expect(200);
  const events = Array.from({ length: count }, () => signalEvent());
  await f.storeEvents(...events);
  const found = await f.collections.events
    .find({ _id: { $in: events.map(({ id }) => id) } })
    .sort({ sequence: 1 })
    .lean();
  const at = new Date();
  await f.collections.deliveries.insertMany(
    found.map(({ _id, sequence, type, signal_id }) =>
      newDelivery({ id: _id, type, signalId: signal_id, sequence }, { ...hook, ordered: true }, at),
    ),
  );
  await f.collections.events.updateMany({}, { $set: { fanned_out: true } });
  return found.map(({ _id }) => _id);
}

it('a batch has the events in order in one request with one signature, and fails with the same id and bytes', async () => {
  const hook = await f.subscribe('/together', { ordered: true, batch });
  f.receiver.script('/together', 500, 'drop');
  const ids = await waiting(hook, 5);
  await f.startWorker();
  await eventually(() => expect(hook.received()).toHaveLength(3));
  const [first, ...again] = hook.received();
  if (first === undefined) throw new Error('nothing came');
  expect(idsIn(first)).toEqual(ids);
  const headers = first.headers as Record<string, string>;
  expect(new Webhook(hook.secret).verify(first.body, headers)).toHaveLength(5);
  for (const {
    body,
    headers: { 'webhook-id': id },
  } of again) {
    expect([id, body.toString()]).toEqual([headers['webhook-id'], first.body.toString()]);
  }
  await eventually(async () => {
    const log = await f.collections.deliveries.find({ subscription: hook.id }).lean();
    expect(log.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(
      Array.from({ length: 5 }, () => ['delivered', 3]),
    );
    expect(log.map((one) => one.batch)).toEqual(Array.from({ length: 5 }, () => undefined));
  });
  const second = dataOf(await hook.ask('get', `deliveries/${deliveryId(ids[1] ?? '', hook.id)}`).expect(200));
  const told = { id: headers['webhook-id'], events: 5, first: deliveryId(ids[0] ?? '', hook.id) };
  expect((second.attempts as { batch: object }[]).map((one) => one.batch)).toEqual([told, told, told]);
});

it('a batch whose worker dies at any step is repeated with the same id and bytes, and nothing overtakes it', async () => {
  const hook = await f.subscribe('/killed', { ordered: true, batch });
  const ids = await waiting(hook, 4);
  const deliveries = ids.map((id) => ({ id: deliveryId(id, hook.id) }));
  const holder = { now: Date.now, worker: () => 'wrk_dead' };
  const store = mongoAttemptStore(f.collections, holder);
  const claim = async () => {
    const pending = await store.pendingInFeed(hook.id, 100);
    const claimed = await store.claimBatch(pending, { proven: true });
    if (claimed === undefined || claimed === 'deferred') throw new Error(`${claimed}`);
    return claimed;
  };
  const die = () =>
    mongoWorkerRegistry(f.collections).reclaim({ id: 'wrk_dead', untilMs: 0, leaving: false });
  const sent = await claim();
  expect(sent.batch?.events.map(({ id }) => id)).toEqual(ids);
  // Killed before its outcome is written.
  await die();
  const again = await claim();
  expect([again.batch?.id, again.batch?.events]).toEqual([sent.batch?.id, sent.batch?.events]);
  // Killed after the outcome of two of the others: one is delivered, one waits for a retry.
  const attempt = { number: 2, started_at: new Date().toISOString(), duration_ms: 1, http_status: null };
  const [delivered, later] = again.batch?.others ?? [];
  if (!delivered || !later) throw new Error('too few');
  const outcome = { ...attempt, outcome: 'succeeded' as const, error: null, response_body: null };
  await store.complete(delivered, { attempt: outcome, status: 'delivered', nextAttemptAt: null });
  const failure = { ...outcome, outcome: 'timeout' as const };
  const nextAttemptAt = new Date(Date.now() + 3_600_000);
  await store.complete(later, { attempt: failure, status: 'pending', nextAttemptAt });
  await die();
  await f.startWorker();
  await f.collections.subscriptions.updateOne({ _id: hook.id }, { $set: { due_at: new Date(0) } });
  await eventually(() => expect(hook.received()).toHaveLength(1));
  expect(hook.received().map((one) => [one.headers['webhook-id'], ...idsIn(one)])).toEqual([
    [sent.batch?.id, ...ids],
  ]);
  await eventually(async () => {
    const of = { _id: { $in: deliveries.map(({ id }) => id) }, status: 'delivered' as const };
    expect(await f.collections.deliveries.countDocuments(of)).toBe(4);
  });
});

it('deliveries of a batch come to the same end, also when one of them was retried by hand', async () => {
  const hook = await f.subscribe('/by-hand', { ordered: true, batch });
  f.receiver.script('/by-hand', 500, 500, 200);
  const ids = await waiting(hook, 3);
  await f.startWorker({ retryDelaysMs: [3_600_000] });
  const log = () => f.collections.deliveries.find({ subscription: hook.id }).lean();
  for (const [attempts, status] of [
    [1, 'pending'],
    [2, 'pending'],
    [3, 'delivered'],
  ] as const) {
    await eventually(async () =>
      expect((await log()).map((one) => [one.attempt_count, one.status])).toEqual(
        ids.map(() => [attempts, status]),
      ),
    );
    if (attempts < 3)
      await hook.ask('post', `deliveries/${deliveryId(ids[0] ?? '', hook.id)}/retry`).expect(200);
  }
  expect(new Set(hook.receivedIds()).size).toBe(1);
});

it('a batch is forgotten when its subscription sends each event alone', async () => {
  const hook = await f.subscribe('/apart', { ordered: true, batch });
  f.receiver.script('/apart', 500, 500);
  const [first = ''] = await waiting(hook, 2);
  await f.startWorker({ retryDelaysMs: [3_600_000, 3_600_000] });
  const tried = (attempts: number) =>
    eventually(async () =>
      expect(await f.delivery(first, hook.id)).toMatchObject({ attempt_count: attempts, lease: null }),
    );
  await tried(1);
  expect((await f.delivery(first, hook.id))?.batch).toBeDefined();
  await hook.ask('patch').send({ ordered: false, batch: null }).expect(200);
  await hook.ask('post', `deliveries/${deliveryId(first, hook.id)}/retry`).expect(200);
  await tried(2);
  expect((await f.delivery(first, hook.id))?.batch).toBeUndefined();
});

it('events of batches come each once and in order, from three workers, while some requests fail', async () => {
  const hook = await f.subscribe('/many', { ordered: true, batch: { max: 7, wait_ms: 50 } });
  f.receiver.script('/many', ...Array.from({ length: 12 }, (_, n) => (n % 4 === 1 ? 503 : 200)));
  const workers = [await f.startWorker(), await f.startWorker(), await f.startWorker()];
  const events = Array.from({ length: 60 }, () => signalEvent());
  const publishing = Promise.all(events.map((event) => f.publish(event)));
  await eventually(() => expect(hook.received().length).toBeGreaterThan(1));
  await workers[0]?.[Symbol.asyncDispose]();
  await publishing;
  const inFeed = async () => {
    const found = await f.collections.events
      .find({ _id: { $in: events.map(({ id }) => id) } })
      .sort({ sequence: 1 });
    return found.map(({ _id }) => _id);
  };
  await eventually(async () => {
    const of = { subscription: hook.id, status: 'delivered' as const };
    expect(await f.collections.deliveries.countDocuments(of)).toBe(60);
  });
  const batches = new Map(hook.received().map((one) => [one.headers['webhook-id'], idsIn(one)]));
  expect([...batches.values()].flat()).toEqual(await inFeed());
  expect(batches.size).toBeLessThan(60);
});

it('batches are for ordered webhooks, and can be switched on and off', async () => {
  const wrong = await f
    .as('acct_0', 'post', '/v1/webhooks')
    .send({ url: `${f.receiver.url}/`, events: ['signal.new'], batch })
    .expect(400);
  expect(wrong.body).toMatchObject({ error: { details: [{ field: 'batch' }] } });
  const hook = await f.subscribe('/switched', { ordered: true });
  expect(dataOf(await hook.ask('get').expect(200))).toMatchObject({ batch: null });
  const set = await hook.ask('patch').send({ batch }).expect(200);
  expect(dataOf(set)).toMatchObject({ batch });
  await hook.ask('patch').send({ ordered: false }).expect(400);
  await hook.ask('patch').send({ ordered: false, batch: null }).expect(200);
  expect(dataOf(await hook.ask('get').expect(200))).toMatchObject({ ordered: false, batch: null });
  await hook.ask('patch').send({ ordered: true }).expect(200);
  // One of the two is refused, whichever comes second.
  const both = [{ ordered: false }, { batch }].map((body) => hook.ask('patch').send(body));
  const statuses = (await Promise.all(both)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 400]);
});
