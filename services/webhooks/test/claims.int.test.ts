import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@sigcast/runtime';
import { leaseMs } from '../src/domain/delivery.ts';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { plainDeliveries } from '../src/store/documents.ts';
import { newDelivery } from '../src/store/fan-out-store.ts';
import { leaseFields, newLease } from '../src/store/leases.ts';
import { type Fixture, fixture } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

const now = Date.now();
const workerStore = () => mongoAttemptStore(f.collections, () => now);
type Claims = readonly ({ readonly delivery: { readonly id: string } } | undefined)[];
const idsOf = (claims: Claims) => claims.flatMap((claimed) => claimed?.delivery.id ?? []);

/** Stores deliveries to one subscription, each due a millisecond later than the one before. Returns their ids. */
async function dueDeliveries(subscription: string, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, (_, n) => {
    const event = { id: newId('evt'), type: 'signal.new', signalId: null } as const;
    const at = new Date(now - 1_000 + n);
    return newDelivery(event, { id: subscription, account: 'acct_1' }, { at, sweepAt: at });
  });
  await plainDeliveries(f.collections).insertMany(made);
  await f.collections.events.insertMany(
    made.map(({ event_id, event, created_at }) => ({
      ...{ _id: event_id, type: event, body: event_id, occurred_at: created_at, created_at },
    })),
  );
  return made.map(({ _id }) => _id);
}

it("gives a subscription's slots its due deliveries oldest first, each once, with its own body", async () => {
  const hook = await f.subscribe('/slots');
  const ids = await dueDeliveries(hook.id, 250);
  const store = workerStore();
  const claimed: string[] = [];
  for (let slots = 0; slots < 30; slots++) {
    const claims = await Promise.all(Array.from({ length: 10 }, () => store.claimNext(hook.id)));
    for (const one of claims) if (one) expect(one.body).toBe(one.delivery.eventId);
    claimed.push(...idsOf(claims));
  }
  expect(claimed).toEqual(ids);
});

it('gives the next free slot what a dead worker had in hand, before what came later', async () => {
  const hook = await f.subscribe('/dead-worker');
  const [first, second, third] = (await dueDeliveries(hook.id, 3)) as [string, string, string];
  const lease = (id: string, startedAt: number) =>
    f.collections.deliveries.updateOne({ _id: id }, { $set: leaseFields(newLease(startedAt)) });
  await lease(first, now - leaseMs);
  await lease(second, now - leaseMs + 1);
  const store = workerStore();
  const taken = await store.claimNext(hook.id);
  expect(taken?.delivery).toMatchObject({ id: first, crashes: 1, attempts: [{ outcome: 'interrupted' }] });
  expect((await store.claimNext(hook.id))?.delivery.id).toBe(third);
  expect(await store.claimNext(hook.id)).toBeUndefined();
});

it('gives each due delivery to one of several workers', async () => {
  const hook = await f.subscribe('/workers');
  const ids = await dueDeliveries(hook.id, 60);
  const workers = [workerStore(), workerStore(), workerStore()];
  const drain = async (store: ReturnType<typeof workerStore>): Promise<string[]> => {
    const next = await store.claimNext(hook.id);
    return next ? [next.delivery.id, ...(await drain(store))] : [];
  };
  const drained = await Promise.all(workers.flatMap((store) => [drain(store), drain(store)]));
  expect(drained.flat().sort()).toEqual([...ids].sort());
});

it('finds what became due after it had looked last', async () => {
  const hook = await f.subscribe('/later');
  const store = workerStore();
  for (let round = 0; round < 3; round++) {
    const [id] = await dueDeliveries(hook.id, 1);
    expect((await store.claimNext(hook.id))?.delivery.id).toBe(id);
    expect(await store.claimNext(hook.id)).toBeUndefined();
  }
});

it('looks again after a while for what is the oldest', async () => {
  const hook = await f.subscribe('/again');
  let nowMs = now;
  const store = mongoAttemptStore(f.collections, () => nowMs);
  const [first, second] = await dueDeliveries(hook.id, 2);
  expect((await store.claimNext(hook.id))?.delivery.id).toBe(first);
  const [older] = await dueDeliveries(hook.id, 1);
  nowMs += 10_000;
  expect((await store.claimNext(hook.id))?.delivery.id).toBe(older);
  expect((await store.claimNext(hook.id))?.delivery.id).toBe(second);
});

it('claims together what is free and what a dead worker left, and nothing that another one has', async () => {
  const hook = await f.subscribe('/mixed');
  const [free = '', left = '', held = '', done = ''] = await dueDeliveries(hook.id, 4);
  const lease = (id: string, at: number) =>
    f.collections.deliveries.updateOne({ _id: id }, { $set: leaseFields(newLease(at)) });
  await lease(left, now - 2 * leaseMs);
  await lease(held, now);
  await f.collections.deliveries.updateOne({ _id: done }, { $set: { status: 'delivered' } });
  const store = workerStore();
  const claims = await Promise.all([free, left, held, done, free].map((id) => store.claim(id)));
  expect(claims.map((claimed) => claimed?.delivery.id)).toEqual([
    free,
    left,
    undefined,
    undefined,
    undefined,
  ]);
  expect(claims[1]?.delivery).toMatchObject({ crashes: 1, attempts: [{ outcome: 'interrupted' }] });
  const attempt = {
    ...{ number: 1, started_at: new Date(now).toISOString(), duration_ms: 1, outcome: 'succeeded' as const },
    ...{ http_status: 200, error: null, response_body: '' },
  };
  for (const claimed of claims) {
    if (!claimed) continue;
    expect(await store.complete(claimed, { attempt, status: 'delivered', nextAttemptAt: null })).toBe(true);
  }
});

it('lets go of what it has claimed and then can not read', async () => {
  const hook = await f.subscribe('/unread');
  const ids = await dueDeliveries(hook.id, 3);
  const subscriptions = new Proxy(f.collections.subscriptions, {
    get: (model, name) => {
      if (name === 'find') throw new Error('away');
      return Reflect.get(model, name) as unknown;
    },
  });
  const failing = mongoAttemptStore({ ...f.collections, subscriptions }, () => now);
  const tried = await Promise.allSettled(ids.map((id) => failing.claim(id)));
  expect(tried.map(({ status }) => status)).toEqual(ids.map(() => 'rejected'));
  const claims = await Promise.all(ids.map((id) => workerStore().claim(id)));
  expect(idsOf(claims)).toEqual(ids);
  for (const claimed of claims) expect(claimed?.delivery).toMatchObject({ crashes: 0, attempts: [] });
});
