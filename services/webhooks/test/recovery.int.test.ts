import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RecoveryClaim, type RecoveryStore, workOnRecovery } from '../src/domain/recovery.ts';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { mongoRecoveryStore } from '../src/store/recovery-store.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { rowsOfFinds } from './rows-of-finds.ts';

let f: Fixture;
const start = Date.now();
/** What there is to recover: twelve events, the first two failed, the third delivered, the fourth of another type. */
const happened = Array.from({ length: 12 }, (_, i) => signalEvent('signal.new', i === 3 ? 'wallet' : 'new'));
const batch = 3;

beforeAll(async () => {
  f = await fixture();
  await f.storeEvents(...happened);
  await f.collections.events.updateMany({}, { $set: { occurred_at: new Date(start) } });
});
afterAll(() => f[Symbol.asyncDispose]());

/** A subscription that missed all but the third event, with a clock of its own. */
async function missing() {
  const hook = await f.subscribe('/none', { types: ['new'] });
  const clock = { now: start + 1_000 };
  const { subscriptions, deliveries } = f.collections;
  await subscriptions.updateOne({ _id: hook.id }, { $set: { created_at: new Date(start - 1_000) } });
  const at = new Date(start);
  const subscription = { id: hook.id, account: 'acct_x' };
  const made = (i: number, status: 'failed' | 'delivered') => {
    const event = happened[i] ?? signalEvent();
    const fields = newDelivery(
      { id: event.id, type: 'signal.new', signalId: event.data.id },
      subscription,
      at,
    );
    return { ...fields, status, attempt_count: 4, next_attempt_at: null };
  };
  await deliveries.create([made(0, 'failed'), made(1, 'failed'), made(2, 'delivered')]);
  return { id: hook.id, clock, store: mongoRecoveryStore(f.collections, () => clock.now) };
}

/** The same store, in a process that dies at its nth call: before the call, or right after it. */
function dying(store: RecoveryStore, call: number, after: boolean): RecoveryStore {
  let calls = 0;
  return new Proxy(store, {
    get:
      (target, name) =>
      async (...args: unknown[]) => {
        const dies = calls++ === call;
        if (dies && !after) throw new Error('killed');
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        const result = await method(...args);
        if (dies) throw new Error('killed');
        return result;
      },
  });
}

const open = async (id: string) => {
  const found = await f.collections.deliveries.find({ subscription: id }).lean();
  return found.map(({ _id, status, cycle, attempt_count }) => ({ _id, status, cycle, attempt_count }));
};
const expected = (id: string) =>
  happened.flatMap(({ id: event }, i) => {
    if (i === 3) return [];
    const _id = deliveryId(event, id);
    if (i === 2) return [{ _id, status: 'delivered', cycle: undefined, attempt_count: 4 }];
    const again = { cycle: { from: 4, once: false }, attempt_count: 4 };
    return [{ _id, status: 'pending', ...(i < 2 ? again : { cycle: undefined, attempt_count: 0 }) }];
  });
const sorted = (list: { _id: string }[]) => list.sort((one, other) => (one._id < other._id ? -1 : 1));

async function begin(store: RecoveryStore, id: string, since = start): Promise<RecoveryClaim> {
  const claim = await store.begin(id, new Date(since));
  if (!claim) throw new Error('the recovery must begin');
  return claim;
}

it('a recovery of a webhook makes failed deliveries due, opens missing ones, and leaves the others', async () => {
  const { id, clock, store } = await missing();
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  const reached = await workOnRecovery(await begin(store, id), deps);
  expect(reached).toMatchObject({ retried: 2, opened: 8, completedAt: new Date(clock.now) });
  expect(sorted(await open(id))).toEqual(sorted(expected(id)));
  expect(await store.reclaimExpired()).toBeUndefined();
});

it('a recovery of a webhook makes due what was made before the requested instant, but failed after it', async () => {
  const { id, clock, store } = await missing();
  const first = deliveryId(happened[0]?.id ?? '', id);
  await f.collections.deliveries.updateOne({ _id: first }, { $set: { updated_at: new Date(start + 600) } });
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  const reached = await workOnRecovery(await begin(store, id, start + 500), deps);
  expect(reached).toMatchObject({ retried: 1, opened: 0 });
  expect(await f.collections.deliveries.findById(first).lean()).toMatchObject({ status: 'pending' });
});

it('a recovery of a webhook opens nothing that happened before the requested instant', async () => {
  const { id, clock, store } = await missing();
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  const reached = await workOnRecovery(await begin(store, id, start + 500), deps);
  expect(reached).toMatchObject({ retried: 0, opened: 0 });
});

it('a recovery of a webhook opens nothing that happened before the subscription was made', async () => {
  const { id, clock, store } = await missing();
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { created_at: new Date(start + 500) } });
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  expect(await workOnRecovery(await begin(store, id), deps)).toMatchObject({ opened: 0 });
});

it.each([false, true])(
  'a recovery of a webhook is finished by another process, wherever the first one dies (after the call: %j)',
  async (after) => {
    let completed = false;
    let deaths = 0;
    for (let call = 0; !completed; call++) {
      const { id, clock, store } = await missing();
      const claim = await begin(store, id);
      const now = () => clock.now;
      const first = { store: dying(store, call, after), now, untilMs: clock.now + 1, batch };
      completed = await workOnRecovery(claim, first).then(
        () => true,
        () => false,
      );
      if (!completed) deaths++;
      expect(await store.reclaimExpired()).toBeUndefined();
      clock.now += 10_001;
      // Other recoveries of this file are complete.
      for (let next = await store.reclaimExpired(); next; next = await store.reclaimExpired()) {
        await workOnRecovery(next, { store, now, untilMs: clock.now + 1, batch });
      }
      expect(sorted(await open(id))).toEqual(sorted(expected(id)));
      const document = await f.collections.subscriptions.findById(id).lean();
      expect(document?.recovery?.completed_at).toBeInstanceOf(Date);
    }
    expect(deaths).toBeGreaterThan(8);
  },
);

it('a recovery of a webhook whose time slice is over goes on where it stopped', async () => {
  const { id, clock, store } = await missing();
  const claim = await begin(store, id);
  const stopped = await workOnRecovery(claim, { store, now: () => clock.now, untilMs: clock.now, batch });
  expect(stopped).toMatchObject({ completedAt: null });
  expect(await store.begin(id, new Date(start))).toBeUndefined();
  const next = await store.reclaimExpired();
  expect(next?.subscription).toBe(id);
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  expect(next && (await workOnRecovery(next, deps))).toMatchObject({ retried: 2, opened: 8 });
  // The progress of the first process, whose lease is lost, is not written.
  const progress = { retried: 0, opened: 0, failedDone: false, cursor: null, completedAt: null };
  expect(await store.advance(claim, progress)).toBe(false);
});

it('a recovery that two processes work on at once, one of them without the lease, opens each delivery once', async () => {
  const { id, clock, store } = await missing();
  const zombie = await begin(store, id);
  clock.now += 10_001;
  const heir = await store.reclaimExpired();
  if (!heir) throw new Error('the recovery must be claimed');
  const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
  await Promise.all([workOnRecovery(zombie, deps), workOnRecovery(heir, deps)]);
  expect(sorted(await open(id))).toEqual(sorted(expected(id)));
});

it('a recovery of a webhook does not repeat what failed anew after the request', async () => {
  const { id, clock, store } = await missing();
  const claim = await begin(store, id);
  const { retried, cursor } = await store.retryFailed(claim, null, 1);
  expect({ retried, cursor }).toEqual({ retried: 1, cursor: expect.any(String) });
  const pending = await f.collections.deliveries.findOne({ subscription: id, status: 'pending' }).lean();
  clock.now += 1;
  await f.collections.deliveries.updateOne(
    { _id: pending?._id ?? '' },
    { $set: { status: 'failed', updated_at: new Date(clock.now) } },
  );
  expect(await store.retryFailed(claim, cursor, 10)).toEqual({ retried: 1, cursor: null });
  expect(await store.retryFailed(claim, null, 10)).toEqual({ retried: 0, cursor: null });
});

it('a recovery of a webhook reads no more than a page in each step, however much has failed or happened that it leaves alone', async () => {
  const { id, clock } = await missing();
  const { deliveries } = f.collections;
  // Made before the others, and failed again after the request.
  const anew = Array.from({ length: 200 }, (_, i) => ({
    ...newDelivery(
      { id: signalEvent().id, type: 'signal.new', signalId: null },
      { id, account: 'acct_x' },
      new Date(start - i),
    ),
    status: 'failed' as const,
    updated_at: new Date(clock.now + 60_000),
  }));
  await deliveries.insertMany(anew);
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { types: ['wallet'] } });
  const rows = await rowsOfFinds(f, ['events', 'deliveries'], async (collections) => {
    const store = mongoRecoveryStore(collections, () => clock.now, mongoEventFeed(collections, batch));
    const deps = { store, now: () => clock.now, untilMs: clock.now + 1, batch };
    expect(await workOnRecovery(await begin(store, id), deps)).toMatchObject({ retried: 2, opened: 1 });
  });
  // A page of the feed is read with the event that follows it.
  expect(Math.max(...rows)).toBeLessThanOrEqual(batch + 1);
});

const since = new Date().toISOString();
it.each([
  ['since', {}],
  ['since', { since: 'yesterday' }],
  ['since', { since: 1 }],
  ['since', { since: '2126-01-01' }],
  ['since', { since: '2020-01-01' }],
  ['until', { since, until: since }],
])('asking for a recovery with a bad %s is 400 naming it', async (field, body) => {
  const { ask } = await f.subscribe('/refused', { events: ['signal.dead'] });
  const answer = await ask('post', 'recover').send(body).expect(400);
  const { details } = (answer.body as { error: { details: { field: string }[] } }).error;
  expect(details.map((detail) => detail.field)).toContain(field);
});

it('asking for a recovery while one is running is 409', async () => {
  const { id, ask } = await f.subscribe('/running', { events: ['signal.dead'] });
  await mongoRecoveryStore(f.collections, Date.now).begin(id, new Date());
  await ask('post', 'recover').send({ since }).expect(409);
});
