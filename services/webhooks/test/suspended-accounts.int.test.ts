import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { accountTopology } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { disableAfterMs } from '../src/domain/auto-disable.ts';
import { laneLeaseMs } from '../src/domain/worker-lanes.ts';
import { mongoAccountStates } from '../src/store/account-states.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
let worker: AsyncDisposable;
beforeAll(async () => {
  f = await fixture();
  // An attempt that a test holds up does not time out on a busy machine.
  worker = await f.startWorker({ timeoutMs: 60_000 });
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await f?.[Symbol.asyncDispose]();
});

type Body = { data: Record<string, unknown> & { id: string } };

/** What the promise is about, in milliseconds. */
const promisedMs = 1_000;

const make = (account: string, path: string, events = ['signal.new']) =>
  f.as(account, 'post', '/v1/webhooks').send({ url: `${f.receiver.url}${path}`, events });

/** An account with a subscription, and what reaches it. */
async function own(path: string, events?: string[]) {
  const account = newId('acct');
  const { id } = ((await make(account, path, events).expect(201)).body as Body).data;
  await f.prove(id);
  const received = () => f.receiver.requests.filter((request) => request.path === path);
  const document = () => f.collections.subscriptions.findById(id).lean();
  let rev = 1;
  return {
    ...{ account, id, received, document },
    ids: () => received().map(({ headers }) => headers['webhook-id']),
    post: (action: string, body?: object) => f.as(account, 'post', `/v1/webhooks/${id}/${action}`).send(body),
    tell: async (status: 'active' | 'suspended' | 'deleted') => {
      rev += 1;
      await f.tellOfAccount(account, rev, status);
      return rev;
    },
    isSuspended: (suspended: boolean) =>
      eventually(async () => expect((await document())?.account_state).toMatchObject({ suspended })),
  };
}
const stored = (event: string, hook: string) =>
  f.collections.deliveries.findById(deliveryId(event, hook)).lean();
const pending = (hook: string) =>
  f.collections.deliveries.countDocuments({ subscription: hook, status: 'pending' });

/** Resolves when another account's subscription has got what was published after all else. */
async function settled(marker: Awaited<ReturnType<typeof own>>): Promise<void> {
  const last = signalEvent('signal.dead');
  await f.publish(last);
  await eventually(() => expect(marker.ids()).toContain(last.id));
}

/** Has no state of an account wait in the queue. */
const followed = () =>
  eventually(async () => {
    const { queue } = accountTopology(f.stack.namespace).webhooks;
    expect((await f.broker.withChannel((channel) => channel.checkQueue(queue))).messageCount).toBe(0);
  });

it('a suspended account is sent nothing from a second after its suspension on, though much waits; resumed, it is within a second, and gets all of it once', async () => {
  const hook = await own('/suspended');
  const marker = await own('/suspended-marker', ['signal.dead']);
  const open: ServerResponse[] = [];
  // Delays some answers, so that the suspended lane has attempts under way and more deliveries that wait.
  const later = (response: ServerResponse) => void open.push(response);
  f.receiver.script('/suspended', later, later, later);
  const events = Array.from({ length: 300 }, () => signalEvent());
  for (const event of events.slice(0, 200)) await f.publish(event);
  await eventually(() => expect(open).toHaveLength(3));
  await hook.tell('suspended');
  const told = Date.now();
  await hook.isSuspended(true);
  for (const event of events.slice(200)) await f.publish(event);
  for (const response of open) response.writeHead(200).end();
  await settled(marker);
  // Each event has a delivery. Those that are not sent wait without a lease.
  await eventually(async () => {
    const all = await f.collections.deliveries.countDocuments({ subscription: hook.id });
    expect({ all, waiting: await pending(hook.id) }).toEqual({
      all: events.length,
      waiting: events.length - new Set(hook.ids()).size,
    });
  });
  expect(await pending(hook.id)).toBeGreaterThan(0);
  expect(Math.max(...hook.received().map(({ receivedAt }) => receivedAt))).toBeLessThan(told + promisedMs);
  expect(await f.collections.deliveries.countDocuments({ subscription: hook.id, lease: { $ne: null } })).toBe(
    0,
  );

  const before = hook.received().length;
  await hook.tell('active');
  const resumed = Date.now();
  await eventually(() => expect(hook.received().length).toBeGreaterThan(before));
  expect(hook.received()[before]?.receivedAt).toBeLessThan(resumed + promisedMs);
  await eventually(async () => expect(await pending(hook.id)).toBe(0));
  expect([...hook.ids()].sort()).toEqual(events.map(({ id }) => id).sort());
}, 60_000);

it('a suspended account has no lane: due deliveries are deferred, and cost no retry', async () => {
  const hook = await own('/put-off');
  f.receiver.script('/put-off', 500);
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.ids()).toEqual([event.id, event.id]));
  await hook.tell('suspended');
  await hook.isSuspended(true);
  const waiting = signalEvent();
  await f.publish(waiting);
  await eventually(async () => expect(await stored(waiting.id, hook.id)).not.toBeNull());
  // As if a retry of it came due.
  await f.collections.subscriptions.updateOne({ _id: hook.id }, { $set: { due_at: new Date(0) } });
  await eventually(async () =>
    expect((await hook.document())?.due_at.getTime()).toBeGreaterThan(Date.now() + laneLeaseMs * 2),
  );
  expect(await stored(waiting.id, hook.id)).toMatchObject({
    ...{ status: 'pending', attempt_count: 0, attempts: [], lease: null },
  });
  expect(hook.ids()).toHaveLength(2);
});

it('a suspended account is sent nothing by hand either: a test, a retry and a recovery wait until it is resumed', async () => {
  const hook = await own('/by-hand');
  const marker = await own('/by-hand-marker', ['signal.dead']);
  const since = new Date().toISOString();
  f.receiver.script('/by-hand', 410);
  const gone = signalEvent();
  await f.publish(gone);
  await eventually(async () => expect(await stored(gone.id, hook.id)).toMatchObject({ status: 'failed' }));
  await eventually(async () => expect(await hook.document()).toMatchObject({ status: 'disabled' }));
  await hook.tell('suspended');
  await hook.isSuspended(true);
  // As requests do that were admitted before.
  const test = (await hook.post('test').expect(201)).body as Body;
  await hook.post(`deliveries/${deliveryId(gone.id, hook.id)}/retry`).expect(200);
  await f.as(hook.account, 'patch', `/v1/webhooks/${hook.id}`).send({ status: 'enabled' }).expect(200);
  await hook.post('recover', { since }).expect(200);
  await settled(marker);
  expect(hook.received()).toHaveLength(1);
  expect(await pending(hook.id)).toBe(2);
  await hook.tell('active');
  await eventually(async () => expect(await pending(hook.id)).toBe(0));
  expect(hook.ids().slice(1).sort()).toEqual([String(test.data.event_id), gone.id].sort());
});

it('a suspended account is not disabled for the days that it was suspended', async () => {
  const hook = await own('/days');
  await f.collections.subscriptions.updateOne(
    { _id: hook.id },
    { $set: { failing_since: new Date(Date.now() - disableAfterMs) } },
  );
  await hook.tell('suspended');
  await hook.isSuspended(true);
  await hook.tell('active');
  await hook.isSuspended(false);
  f.receiver.script('/days', 500, 500, 500, 500);
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () => expect(await stored(event.id, hook.id)).toMatchObject({ status: 'failed' }));
  await eventually(async () => expect((await hook.document())?.failing_since).toBeInstanceOf(Date));
  expect(await hook.document()).toMatchObject({ status: 'enabled' });
});

it('a subscription that is made by a request admitted before the suspension of its account is suspended, too', async () => {
  const hook = await own('/first-one');
  await hook.tell('suspended');
  await hook.isSuspended(true);
  const { id } = ((await make(hook.account, '/second-one').expect(201)).body as Body).data;
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () => expect(await stored(event.id, id)).toMatchObject({ status: 'pending' }));
  const marker = await own('/second-one-marker', ['signal.dead']);
  await settled(marker);
  const at = (path: string) => f.receiver.requests.filter((request) => request.path === path);
  expect([...at('/first-one'), ...at('/second-one')]).toEqual([]);
  await hook.tell('active');
  await eventually(() => expect([at('/first-one').length, at('/second-one').length]).toEqual([1, 1]));
});

it('an account state that comes again, or behind a newer one, changes nothing', async () => {
  const hook = await own('/older');
  await f.tellOfAccount(hook.account, 7, 'suspended');
  await hook.isSuspended(true);
  await f.tellOfAccount(hook.account, 8, 'active');
  await hook.isSuspended(false);
  const dueAt = new Date(Date.now() + laneLeaseMs * 4);
  await f.collections.subscriptions.updateOne({ _id: hook.id }, { $set: { due_at: dueAt } });
  const before = await hook.document();
  await f.tellOfAccount(hook.account, 8, 'active');
  await f.tellOfAccount(hook.account, 7, 'suspended');
  await f.tellOfAccount(hook.account, 3, 'deleted');
  await followed();
  // Behind them in the same queue, and other accounts' states don't wait for them.
  const marker = await own('/older-marker', ['signal.dead']);
  await marker.tell('suspended');
  await marker.isSuspended(true);
  expect(await hook.document()).toEqual(before);
  expect(await f.collections.accountStates.findById(hook.account).lean()).toMatchObject({
    ...{ rev: 8, status: 'active' },
  });
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.ids()).toEqual([event.id]));
});

it('of account states that come at the same moment the newest is stored', async () => {
  const states = mongoAccountStates(f.collections);
  const revs = [3, 1, 8, 5, 2, 7, 4, 6];
  for (let n = 0; n < 10; n += 1) {
    const account = newId('acct');
    const state = (rev: number) => ({ account, rev, status: rev % 2 ? 'active' : 'suspended' }) as const;
    await Promise.all(revs.map((rev) => states.save(state(rev))));
    expect(await f.collections.accountStates.findById(account).lean()).toEqual({
      ...{ _id: account, rev: 8, status: 'suspended' },
    });
  }
});

it('an account state whose first handling was cut off between account and subscriptions is applied when it comes again', async () => {
  const hook = await own('/cut-off');
  await f.collections.accountStates.create([{ _id: hook.account, rev: 5, status: 'suspended' }]);
  await f.tellOfAccount(hook.account, 5, 'suspended');
  await hook.isSuspended(true);
});

it('an account event that can not be read is parked, and the events behind it are handled', async () => {
  const hook = await own('/parked');
  const { exchange, webhooks } = accountTopology(f.stack.namespace);
  const body = Buffer.from(JSON.stringify({ version: 2, type: 'account.suspended' }));
  await f.broker.publish({ exchange, routingKey: 'account.suspended', messageId: 'other', body });
  await hook.tell('suspended');
  await hook.isSuspended(true);
  await eventually(async () => {
    const parked = await f.broker.withChannel((channel) => channel.checkQueue(webhooks.parked));
    expect(parked.messageCount).toBe(1);
  });
});

it('a deleted account loses its subscriptions and their log, is sent nothing more, and can make no other one', async () => {
  const hook = await own('/deleted');
  const marker = await own('/deleted-marker', ['signal.dead', 'signal.new']);
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.ids()).toEqual([event.id]));
  await hook.tell('deleted');
  await eventually(async () => expect(await hook.document()).toBeNull());
  await eventually(async () =>
    expect(await f.collections.deliveries.countDocuments({ subscription: hook.id })).toBe(0),
  );
  const answer = await make(hook.account, '/deleted').expect(403);
  expect(answer.body).toMatchObject({ error: { code: 'FORBIDDEN' } });
  expect(await f.collections.subscriptions.countDocuments({ account: hook.account })).toBe(0);
  await f.publish(signalEvent());
  await settled(marker);
  expect(hook.ids()).toEqual([event.id]);
  expect(await marker.document()).not.toBeNull();
});
