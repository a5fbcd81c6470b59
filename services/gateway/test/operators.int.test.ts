import {
  identityHeader,
  operatorAccountDetailSchema,
  operatorAccountsSchema,
  operatorSystemSchema,
  operatorWebhookSchema,
  systemReadScope,
} from '@sigcast/contracts';
import { identityVerifier } from '@sigcast/http';
import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { type Asked, root, sendTo, signedUpOperator } from './operator-harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let gateway: string;
let other: string;
let operator: Awaited<ReturnType<typeof signedUpOperator>>;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => untilDayLasts(), dayHookMs);
beforeEach(async () => {
  operator = await signedUpOperator(world, gateway);
});

const routes = [
  ['GET', `${root}/accounts`],
  ['GET', `${root}/accounts/acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ`],
  ['PATCH', `${root}/accounts/acct_01M825KRJ3A7FMQ1FZ61H4Y2NJ`],
  ['DELETE', `${root}/accounts`],
  ['GET', `${root}/plans`],
  ['GET', `${root}/webhooks`],
  ['GET', `${root}/system`],
  ['GET', `${root}/log`],
  ['GET', `${root}/nothing`],
  ['GET', root],
] as const;

const send = (path: string, asked: Asked = {}, at = gateway) => sendTo(at, path, asked);

async function accounts(query = '', token = operator.token) {
  const answer = await send(`${root}/accounts${query}`, { token });
  expect(answer.status).toBe(200);
  return operatorAccountsSchema.parse(answer.body.data);
}

/** Checks that each route for operators answers as an unknown path does. */
async function expectNothingThere(token: string | undefined, headers: Record<string, string> = {}) {
  for (const [method, path] of routes) {
    const answer = await send(path, {
      method,
      token,
      headers,
      ...(method === 'PATCH' && { body: { plan: 'x' } }),
    });
    const unknown = await send('/account/nowhere', { method, token, headers });
    expect([answer.status, unknown.status]).toEqual([404, 404]);
    expect(answer.body.error?.message).toBe(`There is nothing at ${path}`);
    const names = (found: Headers) => [...found.keys()].sort();
    expect(names(answer.headers)).toEqual(names(unknown.headers));
  }
}

const run = (...args: string[]) => world.command([...args, '--json']);

describe('the routes for operators', () => {
  it('answer the sessions of an operator account', async () => {
    for (const path of ['/accounts', '/plans', '/log']) {
      const answer = await send(root + path, { token: operator.token });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    }
  });

  it('are 404 without a session, also with an API key or the cookie of an operator', async () => {
    await expectNothingThere(undefined);
    await expectNothingThere('eyJ.made.up');
    await expectNothingThere(await keyOf(operator));
    await expectNothingThere(undefined, { cookie: operator.cookie ?? '', origin: 'https://elsewhere.test' });
  });

  it('are 404 for the session of an account that is no operator', async () => {
    await expectNothingThere((await signedUp(gateway)).token);
  });

  it('are 404 for a suspended operator until the account is resumed', async () => {
    await world.accounts.setStatus(operator.id, 'suspended');
    await expectNothingThere(operator.token);
    await world.accounts.setStatus(operator.id, 'active');
    expect((await send(`${root}/log`, { token: operator.token })).status).toBe(200);
  });

  it('are 404 at every gateway from the next request on after operators remove, while the session goes on', async () => {
    expect(await run('operators', 'remove', operator.email)).toMatchObject({ status: 0 });
    for (const at of [gateway, other]) {
      expect((await send(`${root}/log`, { token: operator.token }, at)).status).toBe(404);
    }
    expect((await operator.send('GET', '/account')).status).toBe(200);
  });

  it('are 401 for the ended session of an operator, and 404 for that of anybody else', async () => {
    const holder = await signedUp(gateway);
    const [ended, others] = [operator.token, holder.token];
    await operator.send('DELETE', '/account/session');
    await holder.send('DELETE', '/account/session');
    expect((await send(`${root}/log`, { token: ended })).status).toBe(401);
    await expectNothingThere(others);
  });

  it('are 404 for a deleted operator account, which loses its mark', async () => {
    await world.accounts.remove(operator.id);
    await expectNothingThere(operator.token);
    expect(await world.models.accounts.findById(operator.id).lean()).not.toHaveProperty('operator');
  });

  it('are limited together with /account: 300 requests a minute for an account', async () => {
    await world.redis.hset(`{account-of:${operator.id}}:window`, { m: 300, me: Date.now() + 60_000 });
    const answer = await send(`${root}/log`, { token: operator.token });
    expect([answer.status, answer.body.error?.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  it('are not in the API document', async () => {
    const document = await (await fetch(`${gateway}/openapi.json`)).text();
    expect(document).not.toContain(root);
  });

  it('are announced to operators by `operator` in GET /account, which other accounts do not get', async () => {
    expect((await operator.send('GET', '/account')).body.data).toMatchObject({ operator: true });
    const holder = await signedUp(gateway);
    expect((await holder.send('GET', '/account')).body.data).not.toHaveProperty('operator');
  });
});

describe('accounts', () => {
  it('are listed newest first, page by page, each once, without deleted ones', async () => {
    const made: string[] = [];
    for (let at = 0; at < 30; at += 1) made.push((await world.customer()).account);
    await world.accounts.remove(made[3] ?? '');
    const seen: string[] = [];
    for (let query = ''; ; ) {
      const { accounts: page, next } = await accounts(query);
      expect(page.length).toBeLessThanOrEqual(25);
      seen.push(...page.map(({ id }) => id));
      if (next === null) break;
      query = `?after=${next}`;
    }
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect(seen).toEqual(expect.arrayContaining(made.filter((_, at) => at !== 3)));
    expect(seen).not.toContain(made[3]);
  });

  it('are found by id, or by the beginning of their e-mail address in upper or lower case, page by page', async () => {
    const prefix = `found-${Date.now()}`;
    for (let at = 0; at < 27; at += 1) {
      const email = `${prefix}-${String(at).padStart(2, '0')}@example.test`;
      await world.accounts.create({ email, passwordHash: 'x', plan: 'standard' });
    }
    await world.accounts.create({ email: `a-${prefix}@example.test`, passwordHash: 'x', plan: 'standard' });
    const first = await accounts(`?q=${prefix.toUpperCase()}`);
    const second = await accounts(`?q=${prefix}&after=${first.next}`);
    const emails = [...first.accounts, ...second.accounts].map(({ email }) => email);
    expect(emails).toHaveLength(27);
    expect(emails).toEqual([...emails].sort());
    expect(second.next).toBeNull();
    expect((await accounts(`?q=${operator.id}`)).accounts).toMatchObject([
      { email: operator.email, operator: true },
    ]);
    expect((await accounts('?q=nobody@')).accounts).toEqual([]);
    for (const query of ['?q=%5B%24ne%5D', '?q=.*', '?q=acct_nothing']) {
      expect((await accounts(query)).accounts).toEqual([]);
    }
    expect((await send(`${root}/accounts?status=active`, { token: operator.token })).status).toBe(400);
  });

  it('on a later page of a search match the search, whatever after says', async () => {
    const tag = `z${Date.now()}`;
    for (const email of [`${tag}-1@example.test`, `${tag}-2@example.test`]) {
      await world.accounts.create({ email, passwordHash: 'x', plan: 'standard' });
    }
    const page = await accounts(`?q=${tag}&after=a`);
    expect(page.accounts.map(({ email }) => email)).toEqual([
      `${tag}-1@example.test`,
      `${tag}-2@example.test`,
    ]);
  });

  it('are found by the beginning of their e-mail address, also when it looks like an id', async () => {
    const email = `acct_dept${Date.now()}@example.test`;
    await world.accounts.create({ email, passwordHash: 'x', plan: 'standard' });
    for (const q of [email, email.slice(0, -5)]) {
      expect((await accounts(`?q=${q}`)).accounts).toMatchObject([{ email }]);
    }
  });

  it('have their keys, without the text, and what the keys used today', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    for (let at = 0; at < 3; at += 1) await ask(gateway, '/v1/signals', { key });
    await eventually(async () => {
      const answer = await send(`${root}/accounts/${holder.id}`, { token: operator.token });
      const detail = operatorAccountDetailSchema.parse(answer.body.data);
      expect(detail).toMatchObject({ live_keys: 1, today: { requests: 3, refused: 0 }, plan: 'standard' });
      expect(detail.keys).toMatchObject([{ name: 'mine', state: 'active', last: key.slice(-4) }]);
      expect(JSON.stringify(answer.body)).not.toContain(key);
    });
  }, 30_000);
});

describe('the state of services', () => {
  const signals = {
    outbox: { signals: 3, oldest_age_s: { live: 1.5 } },
    queues: [{ name: 'stats.facts', kind: 'waiting', messages: 7 }],
  };
  const scanner = {
    rule: 'v1',
    waiting: 4,
    sources: [{ name: 'dexscreener', answered_at: null, failures: 2, problem: 'the status is 503' }],
    hours: [{ hour: '2026-01-01T00:00:00.000Z', judged: 12, signals: { new: 1 } }],
    refusals: [{ type: 'all' as const, reason: 'jump', count: 3 }],
  };
  const failing = (account: string) => ({
    id: 'wh_1',
    account,
    host: 'hooks.example.test',
    disabled: null,
    failing_since: '2026-01-01T00:00:00.000Z',
  });
  /** Lets the one service behind all routes answer as signals and as webhooks, with a member that this version does not know. */
  const answerWith = (webhooks: object, status = 200) => {
    world.upstream.answer = (_req, res) => {
      const data = {
        ...signals,
        ...scanner,
        deliveries: { pending: 2, oldest_untaken_s: 0 },
        ...webhooks,
        news: 1,
      };
      res
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: true, data }));
    };
  };
  afterEach(() => {
    world.upstream.answer = okAnswer;
  });

  it('is asked for with a token that has the operator as subject and one scope, and is shown beside the gateway’s checks', async () => {
    answerWith({ failing: [] });
    const before = world.upstream.requests.length;
    const answer = await send(`${root}/system`, { token: operator.token });
    const system = operatorSystemSchema.parse(answer.body.data);
    expect(system).toMatchObject({
      signals,
      scanner,
      deliveries: { pending: 2 },
      checks: { redis: 'ok', mongodb: 'ok' },
    });
    const asked = world.upstream.requests.slice(before).filter(({ url }) => url.startsWith('/internal'));
    expect(asked.map(({ url }) => url)).toEqual(Array.from({ length: 3 }, () => '/internal/v1/state'));
    const tokens = asked.map(({ headers }) => String(headers.authorization).slice('Bearer '.length));
    for (const { headers } of asked) expect(headers[identityHeader]).toBeUndefined();
    for (const service of ['signals', 'webhooks', 'scanner'] as const) {
      const verify = identityVerifier('gateway', world.identityKeys.publicKey, service);
      const accepted = tokens.flatMap((token) => {
        try {
          return [verify(token)];
        } catch {
          return [];
        }
      });
      expect(accepted).toMatchObject([{ subject: operator.id, scopes: [systemReadScope] }]);
    }
  });

  it('is null for a service that fails or answers in an unknown form, and the rest is shown', async () => {
    for (const [body, status] of [
      [{ failing: 'many' }, 200],
      [{}, 503],
    ] as const) {
      answerWith(body, status);
      const system = operatorSystemSchema.parse(
        (await send(`${root}/system`, { token: operator.token })).body.data,
      );
      expect(system.deliveries).toBeNull();
      expect(system.signals).toEqual(status === 200 ? signals : null);
    }
    const list = await send(`${root}/webhooks`, { token: operator.token });
    expect([list.status, list.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it('of failing webhooks has the e-mail address of each account that exists', async () => {
    const holder = await signedUp(gateway);
    answerWith({ failing: [failing(holder.id), failing('acct_gone')] });
    const answer = await send(`${root}/webhooks`, { token: operator.token });
    const found = z.array(operatorWebhookSchema).parse(answer.body.data);
    expect(found.map(({ email }) => email)).toEqual([holder.email, null]);
  });
});

it('operators add takes an e-mail address only where it is verified, an account id always, and says what the account can do and what is not known of it', async () => {
  const { id, email } = await signedUp(gateway);
  expect(await run('operators', 'add', email)).toMatchObject({
    status: 1,
    data: { error: { code: 'email_not_verified' } },
  });
  const byId = await run('operators', 'add', id);
  expect(byId).toMatchObject({
    status: 0,
    data: { operator: true },
    err: expect.stringMatching(/can now see all accounts.*Nobody has verified.*less than a day old/s),
  });
  expect(await run('operators', 'remove', id)).toMatchObject({ status: 0 });
  await run('account', 'verify', email);
  const byEmail = await run('operators', 'add', email);
  expect(byEmail).toMatchObject({ status: 0, data: { id, operator: true } });
  expect(byEmail.err).not.toContain('Nobody has verified');
  await run('operators', 'remove', id);
});

it('operators list names each operator account', async () => {
  const { data } = await run('operators', 'list');
  expect(data.operators).toContainEqual({ id: operator.id, email: operator.email, status: 'active' });
});
