import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { joiningMs } from '../src/domain/membership.ts';
import { mongoLaneStore } from '../src/store/lane-store.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** Stores events with a delivery each to one subscription, due at once, as an earlier worker may have left them. */
async function leave(hook: string, count: number) {
  const events = Array.from({ length: count }, () => signalEvent('signal.rugged'));
  const at = new Date(Date.now() - 60_000);
  await f.storeEvents(...events);
  await f.collections.deliveries.create(
    events.map(({ id, data }) =>
      newDelivery({ id, type: 'signal.rugged', signalId: data.id }, { id: hook, account: 'acct' }, at),
    ),
  );
  await f.collections.subscriptions.updateOne({ _id: hook }, { $set: { due_at: new Date(0) } });
}

it('two workers share subscriptions out, and none gets more attempts at once than its limit from both', async () => {
  const hooks = await Promise.all(
    Array.from({ length: 20 }, (_, n) => f.subscribe(`/shared-${n}`, { events: ['signal.rugged'] })),
  );
  // In the end the attempts that hang are ended, so that the workers can end.
  await using ending = new AsyncDisposableStack();
  const cut = () => {
    const cutting = setInterval(() => f.receiver.dropConnections(), 50);
    ending.defer(() => clearInterval(cutting));
  };
  await using _one = await f.startWorker({ maxInFlight: 2, timeoutMs: 60_000 });
  await using _other = await f.startWorker({ maxInFlight: 2, timeoutMs: 60_000 });
  await using cutting = new AsyncDisposableStack();
  cutting.defer(cut);
  const seenByAll = await eventually(async () => {
    const workers = await f.collections.workers.find().lean();
    expect(workers).toHaveLength(2);
    return Math.max(...workers.map(({ seen_at }) => seen_at.getTime())) + joiningMs;
  });
  await eventually(async () => {
    const seen = (await f.collections.workers.find().lean()).map(({ seen_at }) => seen_at.getTime());
    expect(Math.min(...seen)).toBeGreaterThan(seenByAll);
  });
  for (let n = 0; n < hooks.length; n += 1)
    f.receiver.script(`/shared-${n}`, ...Array.from({ length: 4 }, () => 'hang' as const));
  for (let n = 0; n < 5; n += 1) await f.publish(signalEvent('signal.rugged'));
  await eventually(() => expect(hooks.map(({ received }) => received().length)).toEqual(hooks.map(() => 2)));
  await eventually(async () => {
    const held = await f.collections.deliveries
      .find({ 'lease.worker': { $exists: true } }, { lease: 1 })
      .lean();
    expect(new Set(held.map(({ lease }) => lease?.worker)).size).toBe(2);
  });
  const ids = hooks.map(({ id }) => id);
  const open = { subscription: { $in: ids }, 'lease.worker': { $exists: true } };
  expect(await f.collections.deliveries.countDocuments(open)).toBe(2 * hooks.length);
  cut();
  await eventually(
    async () =>
      expect(
        await f.collections.deliveries.countDocuments({ subscription: { $in: ids }, status: 'pending' }),
      ).toBe(0),
    { timeoutMs: 30_000 },
  );
});

it('a worker that stops leaves its lanes to the other workers at once', async () => {
  const hooks = await Promise.all(
    Array.from({ length: 4 }, (_, n) => f.subscribe(`/handed-${n}`, { events: ['signal.dead'] })),
  );
  const first = await f.startWorker({ maxInFlight: 1 });
  for (const { id } of hooks) await leave(id, 20);
  await eventually(() =>
    expect(f.receiver.requests.some(({ path }) => path.startsWith('/handed'))).toBe(true),
  );
  await first[Symbol.asyncDispose]();
  const ids = hooks.map(({ id }) => id);
  const pending = { subscription: { $in: ids }, status: 'pending' as const };
  expect(await f.collections.deliveries.countDocuments(pending)).toBeGreaterThan(0);
  const left = await f.collections.deliveries.find(pending, { subscription: 1 }).lean();
  const waiting = [...new Set(left.map(({ subscription }) => subscription))];
  const due = { _id: { $in: waiting }, due_at: { $lte: new Date() } };
  expect(await f.collections.subscriptions.countDocuments(due)).toBe(waiting.length);
  await using _second = await f.startWorker();
  await eventually(async () => expect(await f.collections.deliveries.countDocuments(pending)).toBe(0));
  const got = f.receiver.requests.filter(({ path }) => path.startsWith('/handed'));
  expect(got).toHaveLength(80);
});

it('a lane is found when it is due and not before, and until then the store says when that is', async () => {
  const { id } = await f.subscribe('/later');
  const dueAt = new Date('2030-01-01T00:00:00.400Z');
  await f.collections.subscriptions.updateOne(
    { _id: id },
    { $set: { due_at: dueAt, account: 'acct_later' } },
  );
  const until = new Date('2030-01-01T00:00:15Z');
  const due = (atMs: number, aheadMs: number) =>
    mongoLaneStore(f.collections, () => atMs).postponeDue((account) => account === 'acct_later', {
      until,
      limit: 5,
      aheadMs,
    });
  const dueMs = dueAt.getTime();
  expect(await due(dueMs - 400, 300)).toEqual({ postponed: [], nextDueAt: undefined });
  expect(await due(dueMs - 400, 500)).toEqual({ postponed: [], nextDueAt: dueAt });
  // A lane of a suspended account that is due before it changes nothing.
  const suspended = await f.subscribe('/suspended');
  const state = { slot: 1, account_state: { rev: 1, suspended: true } };
  await f.collections.subscriptions.updateOne(
    { _id: suspended.id },
    { $set: { due_at: new Date(0), account: 'acct_later', ...state } },
  );
  expect(await due(dueMs - 400, 500)).toEqual({ postponed: [], nextDueAt: dueAt });
  expect(await due(dueMs, 500)).toMatchObject({ postponed: [{ id }] });
  expect(await due(dueMs, 500)).toMatchObject({ postponed: [] });
});

it('a lane is released until its next due time, or an earlier one that another worker has written meanwhile', async () => {
  const { id } = await f.subscribe('/released');
  const lanes = mongoLaneStore(f.collections, Date.now);
  const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute));
  for (const [stored, next, then] of [
    [1, 5, 5],
    [0, 5, 0],
    [9, 5, 5],
  ] as const) {
    await f.collections.subscriptions.updateOne({ _id: id }, { $set: { due_at: at(stored) } });
    await lanes.release(id, at(1), at(next));
    expect((await f.collections.subscriptions.findById(id).lean())?.due_at).toEqual(at(then));
  }
});
