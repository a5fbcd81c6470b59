import { eventTopology } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { atOnce } from '../src/store/lane-store.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { workerState } from '../src/worker-state.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
// A lane that the worker of another test has released may become due during this test, and would be counted.
beforeEach(async () => {
  await Promise.all([f.collections.subscriptions.deleteMany(), f.collections.deliveries.deleteMany()]);
});
afterAll(() => f[Symbol.asyncDispose]());

it('metrics show attempts, lag, queues, due deliveries and subscriptions', async () => {
  const registry = new Registry();
  const { fanout, bulkFanout } = eventTopology(f.stack.namespace);
  await f.subscribe('/fine');
  await f.subscribe('/failing');
  f.receiver.script('/failing', 500);
  await using _worker = await f.startWorker({ registry, retryDelaysMs: [600_000] });
  await f.publish(signalEvent());
  await eventually(async () => {
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'sigcast_webhooks_attempts_total{outcome="succeeded"} 1',
        'sigcast_webhooks_attempts_total{outcome="bad_status"} 1',
        'sigcast_webhooks_first_attempt_lag_seconds_count 2',
        `sigcast_queue_messages{queue="${fanout.queue}"} 0`,
        `sigcast_queue_messages{queue="${bulkFanout.queue}"} 0`,
        `sigcast_queue_parked_messages{queue="${fanout.parked}"} 0`,
        'sigcast_webhooks_deliveries_pending 1',
        'sigcast_webhooks_deliveries_due 0',
        'sigcast_webhooks_oldest_due_age_seconds 0',
        'sigcast_webhooks_subscriptions{status="enabled"} 2',
        'sigcast_webhooks_attempts_in_flight 0',
        'sigcast_webhooks_circuits_open 0',
      ]),
    );
  });
});

it('metrics count what waits for a slow endpoint as due, and not as overdue: no worker is to blame for it', async () => {
  const registry = new Registry();
  const { id } = await f.subscribe('/slow');
  f.receiver.script('/slow', 'hang');
  await makeDue(id, [-180_000, -120_000, -60_000, 3_600_000]);
  await using _worker = await f.startWorker({ registry, maxInFlight: 1, timeoutMs: 60_000 });
  // Ends the attempt that hangs, so that the worker can end.
  using _cutting = { [Symbol.dispose]: () => f.receiver.dropConnections() };
  // The test must not end before the request has come: then nothing would end its attempt.
  await eventually(() => expect(f.receiver.requests.map(({ path }) => path)).toContain('/slow'));
  await eventually(async () => {
    const lines = (await registry.metrics()).split('\n');
    // One is under way, and one is not due.
    expect(lines).toContain('sigcast_webhooks_deliveries_due 2');
    expect(lines).toContain('sigcast_webhooks_oldest_due_age_seconds 0');
  });
});

const stateOf = (isIdle: (subscription: string) => boolean = () => true) =>
  workerState({
    broker: f.broker,
    collections: f.collections,
    namespace: f.stack.namespace,
    now: Date.now,
    scheduler: { state: { attempts: 0, lanes: 0, open: 0, oldestDueAt: undefined }, isIdle },
  });

it('metrics show for how long deliveries have been due in marked lanes that no worker claims', async () => {
  const [one, other] = [await f.subscribe('/one'), await f.subscribe('/other')];
  const at = Date.now();
  await makeDue(one.id, [-90_000, -30_000, 3_600_000], at);
  await makeDue(other.id, [-150_000], at);
  await f.collections.subscriptions.updateMany(
    { _id: { $in: [one.id, other.id] } },
    { $set: { due_at: atOnce } },
  );
  expect(await stateOf().oldestDueAt()).toBe(at - 150_000);
  // A lane that another worker owns, or that this worker works on, does not count here.
  expect(await stateOf((id) => id === one.id).oldestDueAt()).toBe(at - 90_000);
  expect(await stateOf(() => false).oldestDueAt()).toBeUndefined();
});

it('metrics count the due deliveries of more than a thousand subscriptions', async () => {
  const { id } = await f.subscribe('/many');
  const { _id, ...like } = (await f.collections.subscriptions.findById(id).lean()) ?? {};
  const ids = Array.from({ length: 1_200 }, (_, n) => `${id}_${n}`);
  const many = ids.map((each, n) => ({ ...like, _id: each, account: `acct_${n}`, due_at: atOnce }));
  await f.collections.subscriptions.collection.insertMany(many as never);
  const at = new Date(Date.now() - 1_000);
  const due = ids.map((each) => ({ ...deliveryTo(each, 'evt_many', at), _id: `${each}_evt` }));
  await f.collections.deliveries.insertMany(due);
  expect(await stateOf().due()).toBe(1_200);
}, 30_000);

async function makeDue(subscription: string, inMs: readonly number[], at = Date.now()): Promise<void> {
  const due = inMs.map((ms, n) => deliveryTo(subscription, `evt_${n}`, new Date(at + ms)));
  await f.collections.deliveries.create(due);
}

function deliveryTo(id: string, event: string, at: Date) {
  return {
    ...newDelivery({ id: event, type: 'signal.new', signalId: null }, { id, account: 'acct' }, at),
    body: '{}',
  };
}
