import { type AccountEvent, accountEventSchema, accountTopology } from '@sigcast/contracts';
import { accountDeclarations, connectBroker } from '@sigcast/messaging';
import { silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestBuffer } from '../src/domain/request-buffer.ts';
import { mongoAccountNotices } from '../src/store/account-notices.ts';
import { mongoAuditLog } from '../src/store/audit.ts';
import { RequestLog } from '../src/store/request-log.ts';
import { UsageLog } from '../src/store/usage-log.ts';
import { signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { requestAt } from './request-entries.ts';

const metric = 'sigcast_gateway_account_notices_waiting';

let world: World;
let gateway: string;
let events: AccountEvent[];

/** The account events that are published in a world from now on. */
async function listenIn(world: World): Promise<AccountEvent[]> {
  const heard: AccountEvent[] = [];
  const topology = accountTopology(world.stack.namespace);
  const resources = new AsyncDisposableStack();
  world.defer(() => resources.disposeAsync());
  const broker = await connectBroker(
    {
      urls: [world.stack.amqpUrl],
      name: 'listener',
      declare: accountDeclarations(topology),
    },
    silentLogger(),
    resources,
  );
  const { queue } = topology.webhooks;
  await broker.consume({
    queue,
    prefetch: 10,
    handle: async ({ body, routingKey, id }) => {
      const event = accountEventSchema.parse(JSON.parse(body.toString()));
      expect({ routingKey, id }).toEqual({ routingKey: event.type, id: event.id });
      heard.push(event);
    },
  });
  return heard;
}

beforeAll(async () => {
  world = await World.start();
  events = await listenIn(world);
  gateway = await world.gateway();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Runs an operator command. Commands have no setting of the broker. */
const operator = (...args: string[]) => world.command([...args, '--json']);

/** The statuses of an account that were published, in order. A status that follows itself is listed once. */
const statuses = (account: string, heard = events) =>
  heard
    .filter(({ data }) => data.account === account)
    .map(({ data }) => data.status)
    .filter((status, n, all) => status !== all[n - 1]);
const stored = (account: string) => world.models.accounts.findById(account).lean();
const noticed = (account: string) =>
  eventually(async () => expect(await stored(account)).toMatchObject({ noticed: true }));

describe('an account that is suspended, resumed and deleted', () => {
  it('is published at each change of its status, with a growing rev, and not at a change of its plan', async () => {
    const { account } = await world.customer();
    for (const [command, status] of [
      ['suspend', 'suspended'],
      ['resume', 'active'],
    ] as const) {
      await operator('account', command, account);
      await eventually(() => expect(statuses(account).at(-1)).toBe(status));
      await noticed(account);
    }
    const own = events.filter(({ data }) => data.account === account);
    expect(own.map(({ rev }) => rev)).toEqual([...own.map(({ rev }) => rev)].sort((a, b) => a - b));
    expect(new Set(own.map(({ rev }) => rev)).size).toBe(2);
    // Other services do not need to know the plan.
    await operator('plan', 'set', 'notices', '--per-minute', '10', '--per-day', '10');
    await operator('account', 'plan', account, 'notices');
    expect(await stored(account)).toMatchObject({ noticed: true });
  });

  it('is gone when it is deleted: its keys, sessions, requests, usage and e-mail address are removed, and it can not be resumed', async () => {
    const holder = await signedUp(gateway);
    const made = await holder.send('POST', '/account/keys', { name: 'mine' });
    const key = String(made.body.data?.key);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const id = holder.id ?? '';
    const other = await operator('account', 'delete', id, '--email', 'somebody@else.test');
    expect(other).toMatchObject({ status: 1, data: { error: { code: 'email_differs' } } });
    const done = await operator('account', 'delete', id, '--email', holder.email.toUpperCase());
    expect(done).toMatchObject({ status: 0, data: { id, status: 'deleted' } });
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    expect((await ask(gateway, '/v1/signals', { key: holder.token ?? '' })).status).toBe(401);
    await noticed(id);
    expect(statuses(id)).toEqual(['deleted']);
    const { keys, sessions, usage, requests } = world.models;
    expect(await requests.countDocuments({ account: id })).toBe(0);
    expect(await keys.countDocuments({ account: id })).toBe(0);
    expect(await sessions.countDocuments({ account: id })).toBe(0);
    expect(await usage.countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } })).toBe(0);
    expect(JSON.stringify(await stored(id))).not.toContain(holder.email);
    for (const args of [
      ['account', 'resume', id],
      ['account', 'suspend', holder.email],
      ['account', 'delete', id, '--email', holder.email],
    ]) {
      expect(await operator(...args)).toMatchObject({ data: { error: { code: 'account_not_found' } } });
    }
    // The address is free.
    expect(await operator('account', 'create', '--email', holder.email)).toMatchObject({ status: 0 });
  });
});

describe('an account that signs up where the operator asks for verified addresses', () => {
  it('is published as verified with account verify, and its holder sees the change', async () => {
    const asking = await world.gateway({ env: { REQUIRE_VERIFIED_EMAIL: 'true' } });
    const holder = await signedUp(asking);
    const states = () =>
      events.filter(({ data }) => data.account === holder.id).map(({ data }) => data.unverified);
    const verified = async () => (await holder.send('GET', '/account')).body.data?.email_verified;
    await operator('account', 'suspend', holder.id);
    await eventually(() => expect(states()).toEqual([true]));
    await operator('account', 'resume', holder.id);
    expect(await verified()).toBe(false);
    expect(await operator('account', 'verify', holder.id)).toMatchObject({ status: 0 });
    await eventually(() => expect(states().at(-1)).toBe(false));
    expect(await verified()).toBe(true);
  });
});

describe('an account whose password an operator resets', () => {
  it('is published with the time at which its access was revoked', async () => {
    const { account } = await world.customer();
    await operator('account', 'password', account);
    const revokedAt = (await stored(account))?.access_revoked_at?.toISOString();
    expect(revokedAt).toBeDefined();
    await eventually(() =>
      expect(events.find(({ data }) => data.account === account)?.data.access_revoked_at).toBe(revokedAt),
    );
  });
});

describe('usage and requests of a deleted account', () => {
  it('that are noted but not written when the account is deleted are never written', async () => {
    const { account } = await world.customer();
    const { account: other } = await world.customer();
    const usage = new UsageLog(world.models, Date.now);
    for (const id of [account, other]) usage.note(id, 200, false, { key: 'key_0', route: undefined });
    await world.accounts.remove(account);
    await noticed(account);
    await usage.write();
    const buffer = new RequestBuffer(Date.now, () => undefined);
    for (const id of [account, other]) buffer.note(id, () => requestAt(Date.now()));
    await new RequestLog(world.models, buffer, Date.now).write();
    const { requests } = world.models;
    const loggedFor = (id: string) => requests.countDocuments({ account: id });
    expect([await loggedFor(account), await loggedFor(other)]).toEqual([0, 1]);
    const written = async (id: string) =>
      world.models.usage.countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } });
    expect([await written(account), await written(other)]).toEqual([0, 1]);
  });
});

describe('a notice that is not published yet', () => {
  it('is published by the next gateway that starts, which also removes the keys and the audit log of deleted accounts', async () => {
    await using alone = await World.start();
    const [suspended, deleted] = [await alone.customer(), await alone.customer()];
    // No gateway runs yet: the changes are only stored.
    await alone.accounts.setStatus(suspended.account, 'suspended');
    const entry = { account: deleted.account, actor: { kind: 'system' }, action: 'mail.changed' } as const;
    await mongoAuditLog(alone.models, Date.now).add(entry);
    await alone.accounts.remove(deleted.account);
    const heard = await listenIn(alone);
    await alone.gateway();
    await eventually(() => {
      expect(statuses(suspended.account, heard)).toEqual(['suspended']);
      expect(statuses(deleted.account, heard)).toEqual(['deleted']);
    });
    await eventually(async () =>
      expect(await alone.models.accounts.countDocuments({ noticed: false })).toBe(0),
    );
    const of = { account: deleted.account };
    expect(await alone.models.keys.countDocuments(of)).toBe(0);
    expect(await alone.models.audit.countDocuments(of)).toBe(0);
  });

  it('is published when the broker is back; meanwhile the gateway serves, is ready, and counts the waiting notices in a metric', async () => {
    const { hostname, port } = new URL(world.stack.amqpUrl);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 5672) });
    await using alone = await World.start();
    proxy.refuse();
    const url = await alone.gateway({ amqpUrl: proxy.through(alone.stack.amqpUrl) });
    const { account, key } = await alone.customer();
    await alone.accounts.setStatus(account, 'suspended');
    await alone.propagator.propagate(account);
    await eventually(async () => expect(await alone.metric(url, metric)).toBe(1));
    expect((await ask(url, '/v1/signals', { key })).status).toBe(403);
    const readiness = await alone.probe(url, '/readyz');
    expect(readiness.status).toBe(200);
    expect(await readiness.json()).toMatchObject({ status: 'ready', checks: { broker: 'failing' } });
    proxy.restore();
    await eventually(async () =>
      expect(await alone.models.accounts.findById(account).lean()).toMatchObject({ noticed: true }),
    );
    await eventually(async () => expect(await alone.metric(url, metric)).toBe(0));
  });

  it('still waits after an older notice of the account was marked as published', async () => {
    await using alone = await World.start();
    const { account } = await alone.customer();
    const notices = mongoAccountNotices(alone.models);
    await alone.accounts.setStatus(account, 'suspended');
    const [older] = await notices.waiting(10);
    await alone.accounts.setStatus(account, 'active');
    if (older === undefined) throw new Error('nothing waits');
    await notices.markPublished(older);
    const [newer, ...others] = await notices.waiting(10);
    expect({ newer, others }).toEqual({
      newer: { ...older, rev: older.rev + 1, status: 'active' },
      others: [],
    });
  });
});

it('account notify publishes every status that ever changed again, also of accounts that older versions suspended', async () => {
  const [changed, older, untouched] = [
    await world.customer(),
    await world.customer(),
    await world.customer(),
  ];
  await operator('account', 'suspend', changed.account);
  await operator('account', 'resume', changed.account);
  await noticed(changed.account);
  await world.models.accounts.updateOne({ _id: older.account }, { $set: { status: 'suspended' } });
  events.length = 0;
  expect(await operator('account', 'notify')).toMatchObject({ status: 2 });
  expect(await operator('account', 'notify', '--all')).toMatchObject({ status: 0 });
  await eventually(() => {
    expect(statuses(changed.account)).toEqual(['active']);
    expect(statuses(older.account)).toEqual(['suspended']);
  });
  expect(statuses(untouched.account)).toEqual([]);
});
