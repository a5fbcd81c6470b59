import { operatorAccountDetailSchema, operatorLogSchema, operatorPlanSchema } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxLiveKeys } from '../src/domain/api-key.ts';
import { changeAccount, type OperatorLog } from '../src/domain/operator-log.ts';
import { standardPlan } from '../src/domain/plan.ts';
import { accountCommands } from '../src/operator/account-commands.ts';
import type { Command } from '../src/operator/command.ts';
import { keyCommands } from '../src/operator/key-commands.ts';
import { operatorsCommands } from '../src/operator/operators-commands.ts';
import { planCommands } from '../src/operator/plan-commands.ts';
import { openStore } from '../src/operator/store.ts';
import { mongoAuditLog } from '../src/store/audit.ts';
import { ChangePropagator } from '../src/store/change-propagator.ts';
import { mongoOperatorLog } from '../src/store/operator-log.ts';
import { goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { type Asked, root, sendTo, signedUpOperator } from './operator-harness.ts';

let world: World;
let gateway: string;
let operator: Awaited<ReturnType<typeof signedUpOperator>>;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(async () => {
  operator = await signedUpOperator(world, gateway);
});

const send = (path: string, asked: Asked = {}) => sendTo(gateway, path, asked);

async function change(id: string, body: unknown, token = operator.token) {
  return send(`${root}/accounts/${id}`, { method: 'PATCH', token, body });
}

/** The log entries of an account, newest first. */
async function logOf(account: string) {
  const answer = await send(`${root}/log?account=${account}`, { token: operator.token });
  return operatorLogSchema.parse(answer.body.data).entries;
}

const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  account: accountCommands,
  key: keyCommands,
  operators: operatorsCommands,
  plan: planCommands,
};

const run = (...args: string[]) => world.command([...args, '--json']);

describe('an action of an operator', () => {
  it('suspends an account immediately or resumes it, and is logged with actor, account, value before and after', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const suspended = await change(holder.id, { status: 'suspended' });
    expect(operatorAccountDetailSchema.parse(suspended.body.data).status).toBe('suspended');
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(403);
    await change(holder.id, { status: 'active' });
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200));
    const by = { via: 'dashboard', account: operator.id, email: operator.email };
    const account = { id: holder.id, email: holder.email };
    expect(await logOf(holder.id)).toMatchObject([
      { by, account, action: 'account.resume', before: { status: 'suspended' }, after: { status: 'active' } },
      {
        by,
        account,
        action: 'account.suspend',
        before: { status: 'active' },
        after: { status: 'suspended' },
      },
    ]);
  });

  it('gives an account another plan, which must exist', async () => {
    const holder = await signedUp(gateway);
    const { plan } = await world.customer({ perMinute: 7, perDay: 70 });
    const answer = await send(`${root}/plans`, { token: operator.token });
    expect(z.array(operatorPlanSchema).parse(answer.body.data)).toContainEqual({
      name: plan,
      requests_per_minute: 7,
      requests_per_day: 70,
      webhooks: 20,
      streams: 10,
    });
    expect((await change(holder.id, { plan })).status).toBe(200);
    expect(
      (await ask(gateway, '/v1/signals', { key: await keyOf(holder) })).headers.get('x-ratelimit-limit'),
    ).toBe('7');
    const unknown = await change(holder.id, { plan: 'made-up' });
    expect([unknown.status, unknown.body.error?.details?.[0]?.field]).toEqual([400, 'plan']);
    expect(await logOf(holder.id)).toMatchObject([
      { action: 'account.plan', before: { plan: 'standard' }, after: { plan } },
    ]);
  });

  it('that changes nothing is not logged, a body without exactly one known change is 400, and an unknown account is 404', async () => {
    const holder = await signedUp(gateway);
    expect((await change(holder.id, { status: 'active' })).status).toBe(200);
    for (const body of [
      {},
      { status: 'deleted' },
      { status: 'active', plan: 'standard' },
      { operator: true },
      'x',
    ]) {
      expect((await change(holder.id, body)).status).toBe(400);
    }
    expect((await change('acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ', { plan: 'standard' })).status).toBe(404);
    expect((await change(encodeURIComponent(holder.email), { status: 'suspended' })).status).toBe(404);
    expect(await logOf(holder.id)).toEqual([]);
  });

  it('never suspends the operator’s own account', async () => {
    const answer = await change(operator.id, { status: 'suspended' });
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect((await world.accounts.find(operator.id))?.status).toBe('active');
  });

  it.each([
    [{ plan: 'of-operator' }, (id: string) => world.accounts.setPlan(id, 'of-another')],
    [{ status: 'suspended' }, (id: string) => world.accounts.setStatus(id, 'suspended')],
    [{ operator: true }, (id: string) => world.accounts.setOperator(id, true)],
  ] as const)(
    'is refused when somebody else has changed the same value meanwhile, because the log would have a wrong value before: %j',
    async (wanted, changeMeanwhile) => {
      const { found, actor, log } = await orderFor((await signedUp(gateway)).id);
      await changeMeanwhile(found.id);
      const meanwhile = await storedAccount(found.id);
      const order = { actor, account: found, change: wanted };
      await expect(changeAccount({ accounts: world.accounts, log }, order)).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(await storedAccount(found.id)).toEqual(meanwhile);
    },
  );
});

/** The log, as gateways and commands open it. */
function newLog() {
  return mongoOperatorLog(world.models, mongoAuditLog(world.models, Date.now));
}

/** An account's document without the marks that gateways change in the background: propagated to Redis, notice published. */
function storedAccount(id: string) {
  return world.models.accounts.findById(id, { pending: 0, noticed: 0 }).lean();
}

async function orderFor(id: string) {
  const found = await world.accounts.find(id);
  if (found === undefined) throw new Error('there is no account');
  const actor = { via: 'dashboard', account: operator.id } as const;
  return { found, actor, log: newLog() };
}

describe('a command that changes something', () => {
  /** Runs a command on the real stores, with a log whose `add` is this one. */
  const runWith = async (add: OperatorLog['add'], [group, name, ...args]: readonly string[]) => {
    const resources = new AsyncDisposableStack();
    const log = silentLogger();
    const base = { env: world.commandSettings, args, log, resources };
    const command = commands[group ?? '']?.[name ?? ''];
    if (command === undefined) throw new Error(`there is no command ${group} ${name}`);
    try {
      const store = await openStore(base.env, log, resources);
      return await command.run({
        ...base,
        openStore: () => Promise.resolve({ ...store, log: { ...store.log, add } }),
      });
    } finally {
      await resources.disposeAsync();
    }
  };
  /** Everything about one account that commands change. */
  const stateOf = async (id: string) => ({
    account: await storedAccount(id),
    keys: await world.models.keys.find({ account: id }, { pending: 0 }).lean(),
    plans: await world.models.plans.find({ _id: /^in-log/ }).lean(),
  });
  const changes = {
    'operators add': ({ id }) => [id],
    'operators remove': () => [operator.id],
    'account suspend': ({ id }) => [id],
    'account plan': ({ id }) => [id, 'in-log'],
    'account password': ({ id }) => [id],
    'account verify': ({ id }) => [id],
    'account delete': ({ id, email }) => [id, '--email', email],
    'key create': ({ id }) => ['--account', id, '--name', 'another'],
    'key revoke': ({ key }) => [key],
    'plan set': () => ['in-log-new', '--per-minute', '7', '--per-day', '70'],
  } satisfies Record<string, (of: { id: string; email: string; key: string }) => string[]>;

  it.each(Object.keys(changes) as (keyof typeof changes)[])(
    'changes nothing when it can not be logged: %s',
    async (name) => {
      const holder = await signedUp(gateway);
      await keyOf(holder);
      await world.accounts.putPlan({ ...standardPlan, name: 'in-log', perMinute: 5, perDay: 50 });
      const [key] = await world.keys.list(holder.id);
      const args = changes[name]({ id: holder.id, email: holder.email, key: key?.sha256 ?? '' });
      const both = async () => [await stateOf(holder.id), await stateOf(operator.id)];
      const before = await both();
      const refused = runWith(
        () => Promise.reject(new Error('the log is full')),
        [...name.split(' '), ...args],
      );
      await expect(refused).rejects.toThrow('the log is full');
      expect(await both()).toEqual(before);
    },
  );

  it('is not logged when it is refused: key create with 50 valid keys', async () => {
    const { id } = await signedUp(gateway);
    for (let at = 0; at < maxLiveKeys; at += 1) {
      const given = { account: id, name: `k${at}`, environment: 'production', expiresAt: null };
      await world.keys.create(given);
    }
    expect(await run('key', 'create', '--account', id, '--name', 'one too many')).toMatchObject({
      status: 1,
      data: { error: { code: 'conflict' } },
    });
    expect(await logOf(id)).toEqual([]);
  });

  it('is not logged when it changes nothing', async () => {
    const holder = await signedUp(gateway);
    await world.models.accounts.updateOne({ _id: holder.id }, { $set: { verification: 'verified' } });
    await keyOf(holder);
    const [key] = await world.keys.list(holder.id);
    await world.keys.revoke(key?.sha256 ?? '');
    await world.accounts.putPlan({ ...standardPlan, name: 'so-already', perMinute: 5, perDay: 50 });
    for (const args of [
      ['account', 'resume', holder.id],
      ['account', 'plan', holder.id, 'standard'],
      ['operators', 'remove', holder.id],
      ['account', 'verify', holder.id],
      ['key', 'revoke', key?.sha256 ?? ''],
      ['plan', 'set', 'so-already', '--per-minute', '5', '--per-day', '50'],
    ]) {
      expect(await run(...args)).toMatchObject({ status: 0 });
    }
    expect(await logOf(holder.id)).toEqual([]);
    expect(await world.models.operatorLog.findOne({ 'after.plan': 'so-already' }).lean()).toBeNull();
  });

  it.each(['operators add', 'account suspend', 'account password'] as const)(
    'fails with account_not_found when the account was deleted meanwhile: %s',
    async (name) => {
      const { id } = await signedUp(gateway);
      const deleted = runWith(async () => void (await world.accounts.remove(id)), [...name.split(' '), id]);
      await expect(deleted).rejects.toMatchObject({ code: 'account_not_found' });
    },
  );
});

describe('a change of an account', () => {
  it('is propagated to Redis although Redis refuses it once', async () => {
    const { account } = await world.customer();
    let refused = 0;
    await world.accounts.setStatus(account, 'suspended');
    const redis = {
      hdel: (name: string, field: string) => {
        if (refused++ === 0) throw new Error('LOADING');
        return world.redis.hdel(name, field);
      },
    };
    const propagator = new ChangePropagator({ models: world.models, redis });
    expect(await propagator.propagateWithRetries(account)).toBe(true);
    expect(refused).toBeGreaterThan(0);
    expect(await world.models.accounts.findById(account).lean()).not.toHaveProperty('pending');
  });
});

describe('the log of operators', () => {
  it('has the actions of commands and of the dashboard, and never an e-mail address, a password or a key', async () => {
    const holder = await signedUp(gateway);
    await run('operators', 'add', holder.id);
    await run('account', 'suspend', holder.id);
    await run('account', 'resume', holder.id);
    await run('plan', 'set', 'logged', '--per-minute', '5', '--per-day', '50');
    await run('account', 'plan', holder.id, 'logged');
    const { data: made } = await run('key', 'create', '--account', holder.id, '--name', 'by command');
    await run('key', 'revoke', String(made.id));
    const { data: set } = await run('account', 'password', holder.id);
    await run('operators', 'remove', holder.id);
    await change(holder.id, { plan: 'standard' });
    await run('account', 'delete', holder.id, '--email', holder.email);
    const entries = await logOf(holder.id);
    expect(entries.map(({ by, action }) => [by.via, action])).toEqual([
      ['command', 'account.delete'],
      ['dashboard', 'account.plan'],
      ['command', 'operators.remove'],
      ['command', 'account.password'],
      ['command', 'key.revoke'],
      ['command', 'key.create'],
      ['command', 'account.plan'],
      ['command', 'account.resume'],
      ['command', 'account.suspend'],
      ['command', 'operators.add'],
    ]);
    // The account is deleted, and its address with it.
    expect(entries[0]?.account).toEqual({ id: holder.id, email: null });
    const kept = JSON.stringify(await world.models.operatorLog.find().lean());
    for (const secret of [holder.email, goodPassword, made.key, set.password]) {
      expect(String(secret).length).toBeGreaterThan(10);
      expect(kept).not.toContain(secret);
    }
    const shown = await run('operators', 'log', '--account', holder.id, '--limit', '2');
    expect(shown.data.entries).toMatchObject([{ action: 'account.delete' }, { action: 'account.plan' }]);
    const all = operatorLogSchema.parse((await send(`${root}/log`, { token: operator.token })).body.data);
    expect(all.entries).toContainEqual(
      expect.objectContaining({
        action: 'plan.set',
        account: null,
        after: expect.objectContaining({ plan: 'logged' }),
      }),
    );
  });

  it('is read page by page, newest first, each entry once', async () => {
    const log = newLog();
    const account = (await world.customer()).account;
    for (let at = 0; at < 52; at += 1) {
      const actor = { via: 'command', user: 'root' } as const;
      await log.add({ actor, action: 'account.plan', account, before: { at: at - 1 }, after: { at } });
    }
    const read = async (query: string) => {
      const answer = await send(`${root}/log?account=${account}${query}`, { token: operator.token });
      return operatorLogSchema.parse(answer.body.data);
    };
    const first = await read('');
    const second = await read(`&after=${first.next}`);
    expect([first.entries.length, second.entries.length, second.next]).toEqual([50, 2, null]);
    const ids = [...first.entries, ...second.entries].map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });
});
