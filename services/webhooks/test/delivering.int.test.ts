import { eventTopology } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { mongoWorkerRegistry, releaseOrphanedLeases } from '../src/store/worker-registry.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

it('a worker sends what matches by event and type, signed, and nothing else', async () => {
  await f.startWorker();
  const hook = await f.subscribe('/match', { events: ['signal.winner'], types: ['wallet'] });
  const wanted = signalEvent('signal.winner', 'wallet');
  for (const event of [signalEvent('signal.new', 'wallet'), signalEvent('signal.winner', 'new'), wanted]) {
    await f.publish(event);
  }
  await eventually(() => expect(hook.received()).toHaveLength(1));
  const [request] = hook.received();
  expect(request?.headers['webhook-id']).toBe(wanted.id);
  const headers = request?.headers as Record<string, string>;
  expect(new Webhook(hook.secret).verify(request?.body.toString() ?? '', headers)).toMatchObject({
    event: 'signal.winner',
    data: { id: wanted.data.id, type: 'wallet' },
  });
  await eventually(async () =>
    expect(await f.delivery(wanted.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );
  expect(await f.collections.deliveries.countDocuments({ subscription: hook.id })).toBe(1);
});

it('a delivery has exactly four attempts with the same bytes and id, then it has failed, visibly', async () => {
  await f.startWorker();
  const hook = await f.subscribe('/never');
  f.receiver.script('/never', 500, 204, 302, 'drop');
  const event = signalEvent();
  await f.publish(event);
  const record = await eventually(async () => {
    const found = await f.delivery(event.id, hook.id);
    expect(found).toMatchObject({ status: 'failed', attempt_count: 4, next_attempt_at: null });
    return found;
  });
  expect(record?.attempts.map(({ outcome, http_status }) => [outcome, http_status])).toEqual([
    ['bad_status', 500],
    ['bad_status', 204],
    ['bad_status', 302],
    ['connection', null],
  ]);
  expect(hook.received().map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4']);
  expect(new Set(hook.received().map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(
    1,
  );
});

it('a worker counts a receiver that does not answer in time as failed, and tries again', async () => {
  // A busy machine may be silent for as long as the first answer is.
  await f.startWorker({ timeoutMs: 200, retryDelaysMs: Array.from({ length: 20 }, () => 100) });
  const hook = await f.subscribe('/slow');
  f.receiver.script('/slow', 'hang');
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () => {
    const found = await f.delivery(event.id, hook.id);
    const outcomes = found?.attempts.map(({ outcome }) => outcome);
    expect([outcomes?.[0], outcomes?.at(-1)]).toEqual(['timeout', 'succeeded']);
  });
});

it('a worker makes one delivery of an event that comes twice, with the first bytes', async () => {
  await f.startWorker();
  const hook = await f.subscribe('/twice');
  const event = signalEvent();
  await f.publish(event);
  await f.publish({ ...event, occurred_at: new Date(0).toISOString() });
  const last = signalEvent();
  await f.publish(last);
  await eventually(() => expect(hook.receivedIds()).toContain(last.id));
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );
  const bodies = hook.received().filter(({ headers }) => headers['webhook-id'] === event.id);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]?.body.toString()).toContain(event.occurred_at);
});

it('a worker holds up no healthy receiver while another one hangs with all its slots', async () => {
  await f.startWorker({ maxInFlight: 2, timeoutMs: 60_000 });
  const hanging = await f.subscribe('/hanging');
  const healthy = await f.subscribe('/healthy');
  f.receiver.script('/hanging', 'hang', 'hang');
  const events = Array.from({ length: 40 }, () => signalEvent());
  for (const event of events) await f.publish(event);
  await eventually(() =>
    expect([...healthy.receivedIds()].sort()).toEqual(events.map(({ id }) => id).sort()),
  );
  expect(hanging.received()).toHaveLength(2);
  // Ends the attempts that hang, so that the worker can end.
  f.receiver.dropConnections();
});

it('a worker retries a delivery although the queue that brought its event is gone', async () => {
  const hook = await f.subscribe('/wiped');
  const event = signalEvent();
  await f.startWorker({ retryDelaysMs: [3_000] });
  f.receiver.script('/wiped', 500);
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ attempt_count: 1 }),
  );
  const { fanout } = eventTopology(f.stack.namespace);
  await f.broker.withChannel((channel) => channel.deleteQueue(fanout.queue));
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );
});

it('a worker asks a receiver again no sooner than its Retry-After says', async () => {
  const hook = await f.subscribe('/later');
  await f.startWorker({ retryDelaysMs: [50] });
  f.receiver.script('/later', (response) => response.writeHead(503, { 'retry-after': '2' }).end());
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'delivered' }),
  );
  const [first, second] = (await f.delivery(event.id, hook.id))?.attempts ?? [];
  const ended = Date.parse(first?.started_at ?? '') + (first?.duration_ms ?? 0);
  expect(Date.parse(second?.started_at ?? '') - ended).toBeGreaterThanOrEqual(2_000);
});

it('a worker sends nothing more to an address that says it is gone, and says so', async () => {
  await f.startWorker();
  const hook = await f.subscribe('/410');
  f.receiver.script('/410', 410);
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'failed', attempt_count: 1 }),
  );
  await eventually(async () =>
    expect(await f.collections.subscriptions.findById(hook.id).lean()).toMatchObject({
      status: 'disabled',
      disabled: { reason: 'gone' },
    }),
  );
  expect(hook.received()).toHaveLength(1);
});

it('a worker sends nothing more to a subscription that was deleted, though a retry was to come', async () => {
  const { id, ask, received } = await f.subscribe('/gone', { proven: false });
  await f.startWorker({ retryDelaysMs: [500] });
  f.receiver.script('/gone', 500);
  const event = signalEvent();
  await f.publish(event);
  const dueAt = await eventually(async () => {
    const found = await f.delivery(event.id, id);
    expect(found).toMatchObject({ attempt_count: 1 });
    return found?.next_attempt_at?.getTime() ?? 0;
  });
  await ask('delete').expect(200);
  expect(await f.collections.deliveries.countDocuments({ subscription: id })).toBe(0);
  const marker = await f.subscribe('/after');
  await eventually(() => expect(Date.now()).toBeGreaterThan(dueAt));
  const last = signalEvent();
  await f.publish(last);
  await eventually(async () =>
    expect(await f.delivery(last.id, marker.id)).toMatchObject({ status: 'delivered' }),
  );
  expect(received()).toHaveLength(1);
});

/** A pending delivery, and workers that claim it. */
async function claimable() {
  const hook = await f.subscribe('/lease', { events: ['signal.rugged'] });
  const event = signalEvent('signal.rugged');
  const id = deliveryId(event.id, hook.id);
  await f.storeEvents(event);
  const opened = { id: event.id, type: 'signal.rugged', signalId: event.data.id } as const;
  await f.collections.deliveries.create([newDelivery(opened, { id: hook.id, account: 'acct' }, new Date())]);
  const storeOf = (worker: string) =>
    mongoAttemptStore(f.collections, { now: Date.now, worker: () => worker });
  const claim = async (worker: string) => {
    const claimed = await storeOf(worker).claim({ id }, { proven: true });
    return claimed === 'deferred' ? undefined : claimed;
  };
  return { id, storeOf, claim, registry: mongoWorkerRegistry(f.collections) };
}
const outcome = {
  attempt: {
    number: 1,
    started_at: new Date(0).toISOString(),
    duration_ms: 1,
    outcome: 'succeeded' as const,
    http_status: 200,
    error: null,
    response_body: '',
  },
  status: 'delivered' as const,
  nextAttemptAt: null,
};

it('a lease of a delivery has one winner among many claims at once', async () => {
  const { claim } = await claimable();
  const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`wrk_${n}`)));
  expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
});

it('a lease of a dead worker is released, and the late outcome of that worker is refused', async () => {
  const { id, claim, storeOf, registry } = await claimable();
  const zombie = await claim('wrk_dead');
  expect(await claim('wrk_heir')).toBeUndefined();
  const dead = { id: 'wrk_dead', untilMs: 0, leaving: false };
  await Promise.all([registry.reclaim(dead), registry.reclaim(dead)]);
  const heir = await claim('wrk_heir');
  if (!zombie || !heir) throw new Error('both must have been claimed');
  expect(await storeOf('wrk_dead').complete(zombie, outcome)).toBe(false);
  expect(await storeOf('wrk_heir').complete(heir, outcome)).toBe(true);
  const record = await f.collections.deliveries.findById(id).lean();
  expect(record?.attempts.map((attempt) => attempt.outcome)).toEqual(['interrupted', 'succeeded']);
  expect(record).toMatchObject({ attempt_count: 1, crashes: 0, status: 'delivered' });
});

it('a lease whose worker does not attempt the delivery is released without an attempt', async () => {
  const { id, claim } = await claimable();
  await claim('wrk_forgetful');
  const which = { worker: 'wrk_forgetful', nowMs: Date.now() + 11_000 };
  expect(await releaseOrphanedLeases(f.collections, { ...which, hasSlot: () => true })).toBe(0);
  expect(await releaseOrphanedLeases(f.collections, { ...which, hasSlot: () => false })).toBe(1);
  const again = await claim('wrk_forgetful');
  expect(again?.delivery).toMatchObject({ id, crashes: 0, attempts: [] });
});

it('a lease of a worker that is no longer registered is released when it is older than a minute', async () => {
  const { id, claim } = await claimable();
  await claim('wrk_ended');
  const other = { worker: 'wrk_other', hasSlot: () => false };
  await releaseOrphanedLeases(f.collections, { ...other, nowMs: Date.now() + 50_000 });
  expect(await claim('wrk_other')).toBeUndefined();
  await releaseOrphanedLeases(f.collections, { ...other, nowMs: Date.now() + 61_000 });
  expect((await claim('wrk_other'))?.delivery).toMatchObject({ id, crashes: 0, attempts: [] });
});

it('a lease that a worker still has when it stops in good order is released at once', async () => {
  const { id, claim, registry } = await claimable();
  await claim('wrk_stopping');
  await registry.remove('wrk_stopping');
  expect((await claim('wrk_next'))?.delivery).toMatchObject({ id, crashes: 0, attempts: [] });
});
