import type { ServerResponse } from 'node:http';
import { accountTopology } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { disableAfterMs } from '../src/domain/auto-disable.ts';
import { holdMs } from '../src/domain/lane.ts';
import { mongoAccountStates } from '../src/store/account-states.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
  // So long that no delayed answer is a time-out on a busy machine.
  await f.startWorker({ timeoutMs: 60_000 });
});
afterAll(() => f[Symbol.asyncDispose]());

type Body = { data: Record<string, unknown> & { id: string } };

/** A subscription of an account of its own. */
async function own(path: string, events = ['signal.new']) {
  const hook = await f.subscribe(path, { events });
  const document = () => f.collections.subscriptions.findById(hook.id).lean();
  let rev = 1;
  return {
    ...hook,
    document,
    post: (action: string, body?: object) => hook.ask('post', action).send(body),
    /** Publishes a new state of the account. */
    setAccount: (status: 'active' | 'suspended' | 'deleted') => {
      rev += 1;
      return f.publishAccountState(hook.account, rev, status);
    },
    isSuspended: (suspended: boolean) =>
      eventually(async () => expect((await document())?.account_state).toMatchObject({ suspended })),
  };
}
const pending = (hook: string) =>
  f.collections.deliveries.countDocuments({ subscription: hook, status: 'pending' });

const leased = (hook: string) =>
  f.collections.deliveries.countDocuments({ subscription: hook, lease: { $ne: null } });

/** Resolves when no account state waits in the queue. */
const followed = () =>
  eventually(async () => {
    const { queue } = accountTopology(f.stack.namespace).webhooks;
    expect((await f.broker.withChannel((channel) => channel.checkQueue(queue))).messageCount).toBe(0);
  });

it('a suspended account gets nothing but what was under way when its suspension was stored, though much waits; resumed, it gets each event once', async () => {
  const hook = await own('/suspended');
  const marker = await own('/suspended-marker', ['signal.dead']);
  const open: ServerResponse[] = [];
  const received = (response: ServerResponse) => response.writeHead(200).end();
  // Delays all answers at first, so that the suspended lane has attempts under way and more deliveries that wait.
  let delays = true;
  const answer = (response: ServerResponse) => void (delays ? open.push(response) : received(response));
  f.receiver.script('/suspended', ...Array.from({ length: 200 }, () => answer));
  const events = Array.from({ length: 300 }, () => signalEvent());
  for (const event of events.slice(0, 200)) await f.publish(event);
  await f.fannedOut();
  await eventually(() => expect(open.length).toBeGreaterThanOrEqual(3));
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  delays = false;
  for (const response of open) received(response);
  await eventually(async () => expect(await leased(hook.id)).toBe(0));
  const before = hook.received().length;
  expect(await pending(hook.id)).toBeGreaterThan(150);
  for (const event of events.slice(200)) await f.publish(event);
  await f.settled(marker);
  // Each event has a delivery. Those that are not sent wait without a lease.
  await eventually(async () => {
    const all = await f.collections.deliveries.countDocuments({ subscription: hook.id });
    expect({ all, waiting: await pending(hook.id) }).toEqual({
      all: events.length,
      waiting: events.length - new Set(hook.receivedIds()).size,
    });
  });
  expect(hook.received()).toHaveLength(before);
  expect(await leased(hook.id)).toBe(0);

  await hook.setAccount('active');
  await eventually(async () => expect(await pending(hook.id)).toBe(0));
  expect([...hook.receivedIds()].sort()).toEqual(events.map(({ id }) => id).sort());
}, 60_000);

it('a suspended account has no lane: due deliveries are deferred, and cost no retry', async () => {
  const hook = await own('/put-off');
  f.receiver.script('/put-off', 500);
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.receivedIds()).toEqual([event.id, event.id]));
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  const waiting = signalEvent();
  await f.publish(waiting);
  await eventually(async () => expect(await f.delivery(waiting.id, hook.id)).not.toBeNull());
  // As if a retry of it came due.
  await f.collections.subscriptions.updateOne({ _id: hook.id }, { $set: { due_at: new Date(0) } });
  await eventually(async () =>
    expect((await hook.document())?.due_at.getTime()).toBeGreaterThan(Date.now() + holdMs * 2),
  );
  expect(await f.delivery(waiting.id, hook.id)).toMatchObject({
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    lease: null,
  });
  expect(hook.receivedIds()).toHaveLength(2);
});

it('a suspended account is sent nothing by hand either: a test, a retry and a recovery wait until it is resumed', async () => {
  const hook = await own('/by-hand');
  const marker = await own('/by-hand-marker', ['signal.dead']);
  const since = new Date().toISOString();
  f.receiver.script('/by-hand', 410);
  const gone = signalEvent();
  await f.publish(gone);
  await eventually(async () =>
    expect(await f.delivery(gone.id, hook.id)).toMatchObject({ status: 'failed' }),
  );
  await eventually(async () => expect(await hook.document()).toMatchObject({ status: 'disabled' }));
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  // Such requests may have been admitted before the suspension.
  const test = (await hook.post('test').expect(201)).body as Body;
  await hook.post(`deliveries/${deliveryId(gone.id, hook.id)}/retry`).expect(200);
  await hook.ask('patch').send({ status: 'enabled' }).expect(200);
  await hook.post('recover', { since }).expect(200);
  await f.settled(marker);
  expect(hook.received()).toHaveLength(1);
  expect(await pending(hook.id)).toBe(2);
  await hook.setAccount('active');
  await eventually(async () => expect(await pending(hook.id)).toBe(0));
  expect(hook.receivedIds().slice(1).sort()).toEqual([String(test.data.event_id), gone.id].sort());
});

it('a suspended account is not disabled for the days that it was suspended', async () => {
  const hook = await own('/days');
  await f.collections.subscriptions.updateOne(
    { _id: hook.id },
    { $set: { failing_since: new Date(Date.now() - disableAfterMs) } },
  );
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  await hook.setAccount('active');
  await hook.isSuspended(false);
  f.receiver.script('/days', 500, 500, 500, 500);
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () =>
    expect(await f.delivery(event.id, hook.id)).toMatchObject({ status: 'failed' }),
  );
  await eventually(async () => expect((await hook.document())?.failing_since).toBeInstanceOf(Date));
  expect(await hook.document()).toMatchObject({ status: 'enabled' });
});

it('a subscription that is made by a request admitted before the suspension of its account is suspended, too', async () => {
  const hook = await own('/first-one');
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  const { id } = await f.subscribe('/second-one', { account: hook.account, proven: false });
  const event = signalEvent();
  await f.publish(event);
  await eventually(async () => expect(await f.delivery(event.id, id)).toMatchObject({ status: 'pending' }));
  const marker = await own('/second-one-marker', ['signal.dead']);
  await f.settled(marker);
  expect([...f.received('/first-one'), ...f.received('/second-one')]).toEqual([]);
  await hook.setAccount('active');
  await eventually(() =>
    expect(['/first-one', '/second-one'].map((path) => f.received(path).length)).toEqual([1, 1]),
  );
});

it('an account state that comes twice, or after a newer one, changes nothing', async () => {
  const hook = await own('/older');
  await f.publishAccountState(hook.account, 7, 'suspended');
  await hook.isSuspended(true);
  await f.publishAccountState(hook.account, 8, 'active');
  await hook.isSuspended(false);
  const dueAt = new Date(Date.now() + holdMs * 4);
  await f.collections.subscriptions.updateOne({ _id: hook.id }, { $set: { due_at: dueAt } });
  const before = await hook.document();
  await f.publishAccountState(hook.account, 8, 'active');
  await f.publishAccountState(hook.account, 7, 'suspended');
  await f.publishAccountState(hook.account, 3, 'deleted');
  await followed();
  // A state of another account behind them in the same queue is applied, too.
  const marker = await own('/older-marker', ['signal.dead']);
  await marker.setAccount('suspended');
  await marker.isSuspended(true);
  expect(await hook.document()).toEqual(before);
  expect(await f.collections.accountStates.findById(hook.account).lean()).toMatchObject({
    rev: 8,
    status: 'active',
  });
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.receivedIds()).toEqual([event.id]));
});

it('the newest of account states that come at the same moment is stored', async () => {
  const states = mongoAccountStates(f.collections);
  const revs = [3, 1, 8, 5, 2, 7, 4, 6];
  for (let n = 0; n < 10; n += 1) {
    const account = newId('acct');
    const state = (rev: number) =>
      ({
        account,
        rev,
        status: rev % 2 ? 'active' : 'suspended',
        accessRevokedAt: null,
        unverified: false,
      }) as const;
    await Promise.all(revs.map((rev) => states.save(state(rev))));
    expect(await f.collections.accountStates.findById(account).lean()).toEqual({
      _id: account,
      rev: 8,
      status: 'suspended',
      unverified: false,
    });
  }
});

it('an account state whose first handling was cut off between account and subscriptions is applied when it comes again', async () => {
  const hook = await own('/cut-off');
  await f.collections.accountStates.create([{ _id: hook.account, rev: 5, status: 'suspended' }]);
  await f.publishAccountState(hook.account, 5, 'suspended');
  await hook.isSuspended(true);
});

it('a revocation of access pauses the webhooks of its account once: enabled again they stay so, and new ones are enabled', async () => {
  const hook = await own('/revoked');
  const revokedAt = new Date();
  const status = async (id: string) => (await f.collections.subscriptions.findById(id).lean())?.status;
  await f.publishAccountState(hook.account, 2, 'active', { accessRevokedAt: revokedAt });
  await eventually(async () => expect(await status(hook.id)).toBe('disabled'));
  expect((await hook.ask('get').expect(200)).body).toMatchObject({
    data: { disabled_reason: 'paused', disabled_at: revokedAt.toISOString() },
  });
  const { id } = await f.subscribe('/revoked-later', { account: hook.account });
  await hook.ask('patch').send({ status: 'enabled' }).expect(200);
  await f.publishAccountState(hook.account, 3, 'suspended', { accessRevokedAt: revokedAt });
  await hook.isSuspended(true);
  expect([await status(hook.id), await status(id)]).toEqual(['enabled', 'enabled']);
});

it('a revocation of access pauses pending webhooks, which stay paused when the address is verified, and no webhook that was made after it', async () => {
  const [waiting, later] = [await own('/revoked-pending'), await own('/made-later')];
  await f.publishAccountState(waiting.account, 2, 'active', { unverified: true });
  await eventually(async () => expect(await waiting.document()).toMatchObject({ status: 'pending' }));
  const accessRevokedAt = new Date();
  await f.publishAccountState(waiting.account, 3, 'active', { unverified: true, accessRevokedAt });
  await f.publishAccountState(waiting.account, 4, 'active', { accessRevokedAt });
  await eventually(async () =>
    expect(await waiting.document()).toMatchObject({ status: 'disabled', account_state: { rev: 4 } }),
  );
  const before = new Date(accessRevokedAt.getTime() - 60_000);
  await f.publishAccountState(later.account, 2, 'active', { accessRevokedAt: before });
  await eventually(async () =>
    expect(await later.document()).toMatchObject({ status: 'enabled', account_state: { rev: 2 } }),
  );
});

it('an account event that cannot be read is parked, and the events behind it are handled', async () => {
  const hook = await own('/parked');
  const { exchange, webhooks } = accountTopology(f.stack.namespace);
  const body = Buffer.from(JSON.stringify({ version: 2, type: 'account.suspended' }));
  await f.broker.publish({ exchange, routingKey: 'account.suspended', messageId: 'other', body });
  await hook.setAccount('suspended');
  await hook.isSuspended(true);
  await eventually(async () => {
    const parked = await f.broker.withChannel((channel) => channel.checkQueue(webhooks.parked));
    expect(parked.messageCount).toBe(1);
  });
});

it('a deleted account loses its subscriptions and their log, is sent nothing more, and can make no subscription', async () => {
  const hook = await own('/deleted');
  const marker = await own('/deleted-marker', ['signal.dead', 'signal.new']);
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.receivedIds()).toEqual([event.id]));
  const body = { url: `${f.receiver.url}/deleted`, events: ['signal.new'] };
  const keyed = f.as(hook.account, 'post', '/v1/webhooks').set('Idempotency-Key', 'k').send(body);
  const { id } = ((await keyed.expect(201)).body as Body).data;
  await f.as(hook.account, 'delete', `/v1/webhooks/${id}`).expect(200);
  await hook.setAccount('deleted');
  await eventually(async () => expect(await hook.document()).toBeNull());
  await eventually(async () =>
    expect(await f.collections.deliveries.countDocuments({ subscription: hook.id })).toBe(0),
  );
  await eventually(async () =>
    expect(await f.collections.deletedSubscriptions.countDocuments({ account: hook.account })).toBe(0),
  );
  const answer = await f.as(hook.account, 'post', '/v1/webhooks').send(body).expect(403);
  expect(answer.body).toMatchObject({ error: { code: 'FORBIDDEN' } });
  expect(await f.collections.subscriptions.countDocuments({ account: hook.account })).toBe(0);
  await f.publish(signalEvent());
  await f.settled(marker);
  expect(hook.receivedIds()).toEqual([event.id]);
  expect(await marker.document()).not.toBeNull();
});

it('a webhook is pending from the beginning where its account has yet to verify its address, and enabled by the verification', async () => {
  const account = newId('acct');
  const made = await f
    .as(account, 'post', '/v1/webhooks', { unverified: true })
    .send({ url: `${f.receiver.url}/just-signed-up`, events: ['signal.new'] });
  expect((made.body as Body).data).toMatchObject({ status: 'pending' });
  const stored = () => f.collections.subscriptions.findOne({ account }).lean();
  expect(await stored()).toMatchObject({ status: 'pending', account_state: { suspended: true } });
  await f.publishAccountState(account, 2, 'active');
  await eventually(async () => expect(await stored()).toMatchObject({ status: 'enabled' }));
});

it('a webhook of an account whose e-mail address is unverified is pending: it gets nothing, not even a test, and everything new from the verification on', async () => {
  const [hook, marker] = [await own('/unverified'), await own('/verified-marker', ['signal.dead'])];
  await f.publishAccountState(hook.account, 2, 'active', { unverified: true });
  await eventually(async () => expect(await hook.document()).toMatchObject({ status: 'pending' }));
  const paused = await hook.ask('patch').send({ status: 'disabled' });
  expect((paused.body as Body).data).toMatchObject({ status: 'disabled' });
  const resumed = await hook.ask('patch').send({ status: 'enabled' });
  expect((resumed.body as Body).data).toMatchObject({ status: 'pending' });
  expect((await hook.post('test')).body).toMatchObject({ error: { code: 'CONFLICT' } });
  expect((await hook.post('recover', { since: new Date().toISOString() })).status).toBe(409);
  await f.publish(signalEvent());
  await f.settled(marker);
  expect([hook.receivedIds(), await pending(hook.id)]).toEqual([[], 0]);

  await f.publishAccountState(hook.account, 3, 'active');
  await eventually(async () => expect(await hook.document()).toMatchObject({ status: 'enabled' }));
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(hook.receivedIds()).toEqual([event.id]));
});
