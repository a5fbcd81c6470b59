import {
  apiKeySchema,
  auditEntrySchema,
  createdApiKeySchema,
  unavailable,
  usageSchema,
} from '@sigcast/contracts';
import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MongoApiKeys } from '../src/store/api-keys.ts';
import { UsageLog } from '../src/store/usage-log.ts';
import { type Browser, goodPassword, keyOf, signedUp, statusOfLate } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';

const usedBy = { key: 'key_000000000000000000000000', route: '/v1/signals' };

let world: World;
let gateway: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  [gateway, other] = await Promise.all([world.gateway(), world.gateway()]);
});
afterAll(async () => world[Symbol.asyncDispose]());

const dayMs = 86_400_000;

async function makeKey(browser: Browser, body: object = { name: 'server' }) {
  const answer = await browser.send('POST', '/account/keys', body);
  expect(answer.status).toBe(201);
  return createdApiKeySchema.parse(answer.body.data);
}

const statusAt = async (at: string, key: string) => (await ask(at, '/v1/signals', { key })).status;

describe('API keys', () => {
  it('are not made by a request of a session that ends before the body arrives', async () => {
    const browser = await signedUp(gateway);
    const change = {
      current_password: goodPassword,
      new_password: 'another good password',
      revoke_access: true,
    };
    const late = { method: 'POST', path: '/account/keys', body: { name: 'late' } };
    const status = await statusOfLate(browser, late, async () => {
      expect((await browser.send('POST', '/account/password', change)).status).toBeLessThan(300);
    });
    expect(status).toBe(401);
    const again = { email: browser.email, password: 'another good password' };
    expect((await browser.send('POST', '/account/session', again)).status).toBe(200);
    const { data } = (await browser.send('GET', '/account/keys')).body;
    expect(apiKeySchema.array().parse(data)).toMatchObject([{ name: 'late', state: 'revoked' }]);
  });

  it('are shown once, work immediately at every gateway, and are listed by their first and last characters, newest first', async () => {
    const browser = await signedUp(gateway);
    const first = await makeKey(browser);
    const second = await makeKey(browser, { name: 'tests', environment: 'staging', expires_in_days: null });
    expect([await statusAt(gateway, first.key), await statusAt(other, first.key)]).toEqual([200, 200]);
    const { data } = (await browser.send('GET', '/account/keys')).body;
    const listed = apiKeySchema.array().parse(data);
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(JSON.stringify(data)).not.toContain(first.key);
    expect(listed[0]).toMatchObject({
      name: 'tests',
      environment: 'staging',
      expires_at: null,
      state: 'active',
    });
    expect(first.key.endsWith(listed[1]?.last ?? '?')).toBe(true);
    const lifetimeMs = Date.parse(first.expires_at ?? '') - Date.parse(first.created_at);
    expect(Math.round(lifetimeMs / dayMs)).toBe(365);
  });

  it('say when they were last used', async () => {
    const browser = await signedUp(gateway);
    const { key } = await makeKey(browser);
    await statusAt(gateway, key);
    await eventually(async () => {
      const [listed] = apiKeySchema.array().parse((await browser.send('GET', '/account/keys')).body.data);
      expect(listed?.last_used_at).not.toBeNull();
    });
  });

  it('once revoked are refused by the very next request at every gateway, and revoking twice is no error', async () => {
    const browser = await signedUp(gateway);
    const { key, id } = await makeKey(browser);
    expect([await statusAt(gateway, key), await statusAt(other, key)]).toEqual([200, 200]);
    const revoked = await browser.send('DELETE', `/account/keys/${id}`);
    expect([await statusAt(gateway, key), await statusAt(other, key)]).toEqual([401, 401]);
    expect(revoked.body.data).toMatchObject({ id, state: 'revoked' });
    const again = await browser.send('DELETE', `/account/keys/${id}`);
    expect(again.body.data).toMatchObject({ revoked_at: revoked.body.data?.revoked_at });
  });

  it('rotate: the old key gets the overlap as its expiry, and without an overlap it is refused immediately', async () => {
    const browser = await signedUp(gateway);
    const old = await makeKey(browser);
    expect(await statusAt(gateway, old.key)).toBe(200);
    const answer = await browser.send('POST', `/account/keys/${old.id}/rotate`, { overlap_days: 7 });
    const fresh = createdApiKeySchema.parse(answer.body.data);
    expect(fresh.name).toBe(old.name);
    expect([await statusAt(gateway, old.key), await statusAt(other, fresh.key)]).toEqual([200, 200]);
    const listed = apiKeySchema.array().parse((await browser.send('GET', '/account/keys')).body.data);
    const left = Date.parse(listed.find(({ id }) => id === old.id)?.expires_at ?? '') - Date.now();
    expect(left).toBeGreaterThan(6.9 * dayMs);
    expect(left).toBeLessThanOrEqual(7 * dayMs);

    const last = await browser.send('POST', `/account/keys/${fresh.id}/rotate`);
    expect(last.status).toBe(201);
    expect([await statusAt(gateway, fresh.key), await statusAt(other, fresh.key)]).toEqual([401, 401]);
    expect(await statusAt(gateway, createdApiKeySchema.parse(last.body.data).key)).toBe(200);
    expect((await browser.send('POST', `/account/keys/${fresh.id}/rotate`)).body.error?.code).toBe(
      'CONFLICT',
    );
  });

  it('rotate: a key that is narrowed meanwhile is not replaced by one that is not', async () => {
    const browser = await signedUp(gateway);
    const old = await makeKey(browser);
    const { create } = MongoApiKeys.prototype;
    const creating = vi.spyOn(MongoApiKeys.prototype, 'create').mockImplementationOnce(async function (
      this: MongoApiKeys,
      given,
    ) {
      await browser.send('PATCH', `/account/keys/${old.id}`, { scopes: ['stats:read'] });
      return create.call(this, given);
    });
    onTestFinished(() => creating.mockRestore());
    const rotate = () => browser.send('POST', `/account/keys/${old.id}/rotate`, { overlap_days: 1 });
    expect((await rotate()).status).toBe(409);
    const keys = apiKeySchema.array().parse((await browser.send('GET', '/account/keys')).body.data);
    expect(keys.filter(({ state, scopes }) => state === 'active' && scopes === null)).toEqual([]);
    expect((await rotate()).body.data).toMatchObject({ scopes: ['stats:read'] });
  });

  it.each([
    [409, async () => false],
    [503, () => Promise.reject(unavailable('The key store'))],
  ])(
    'rotate: the new key is revoked when the old one gets no end, also in the audit log: %i',
    async (status, ends) => {
      const browser = await signedUp(gateway);
      const old = await makeKey(browser);
      const expiring = vi.spyOn(MongoApiKeys.prototype, 'expire').mockImplementationOnce(ends);
      onTestFinished(() => expiring.mockRestore());
      expect((await browser.send('POST', `/account/keys/${old.id}/rotate`)).status).toBe(status);
      const keys = apiKeySchema.array().parse((await browser.send('GET', '/account/keys')).body.data);
      const made = keys.find(({ id }) => id !== old.id);
      expect(made?.state).toBe('revoked');
      const entries = auditEntrySchema.array().parse((await browser.send('GET', '/account/audit')).body.data);
      const actions = entries.filter(({ target }) => target === made?.id).map(({ action }) => action);
      expect(actions).toEqual(['key.revoked', 'key.created']);
    },
  );

  it('of another account are answered 404, like keys that do not exist', async () => {
    const [browser, stranger] = await Promise.all([signedUp(gateway), signedUp(gateway)]);
    const { id, key } = await makeKey(browser);
    for (const path of [
      `/account/keys/${id}`,
      `/account/keys/key_${'0'.repeat(24)}`,
      '/account/keys/nonsense',
    ]) {
      expect((await stranger.send('DELETE', path)).status).toBe(404);
      expect((await stranger.send('POST', `${path}/rotate`, {})).status).toBe(404);
    }
    expect(await statusAt(gateway, key)).toBe(200);
  });

  it.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ name: 'x', environment: 'Live!' }, 'environment'],
    [{ name: 'x', expires_in_days: 31 }, 'expires_in_days'],
    [{ name: 'x', scopes: [] }, 'scopes'],
  ])('are not created from %j: the answer is 400 and names the field', async (body, field) => {
    const browser = await signedUp(gateway);
    const answer = await browser.send('POST', '/account/keys', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details).toMatchObject([{ field }]);
  });

  it.each([-1, 8, 1.5, '7'])('can not be rotated with an overlap of %j days', async (days) => {
    const browser = await signedUp(gateway);
    const { id } = await makeKey(browser);
    const answer = await browser.send('POST', `/account/keys/${id}/rotate`, { overlap_days: days });
    expect(answer.body.error?.details).toMatchObject([{ field: 'overlap_days' }]);
  });

  it('are bounded: an account has at most 50 valid keys, also when several are created at once', async () => {
    const browser = await signedUp(gateway);
    const make = () => browser.send('POST', '/account/keys', { name: 'one of many' });
    const made = [];
    while (made.length < 48) made.push(await makeKey(browser));
    const answers = await Promise.all(Array.from({ length: 6 }, make));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    await browser.send('DELETE', `/account/keys/${made[0]?.id}`);
    expect((await make()).status).toBe(201);
    expect((await make()).status).toBe(409);
    const [key] = await world.keys.list(browser.id);
    await world.expireKey(key?.sha256 ?? '', new Date());
    expect((await make()).status).toBe(201);
  }, 30_000);

  it('that are revoked are listed while they are among the 100 newest revoked ones, and removed after that', async () => {
    const browser = await signedUp(gateway);
    const oldest = await makeKey(browser, { name: 'the oldest' });
    const live = await makeKey(browser, { name: 'alive' });
    const now = new Date();
    const revoked = {
      account: browser.id,
      environment: 'test',
      first: 'a',
      last: 'z',
      rev: 2,
      revoked_at: now,
    };
    await world.models.keys.insertMany(
      Array.from({ length: 100 }, (_, at) => ({
        ...revoked,
        _id: `${browser.id}-${at}`,
        name: `revoked ${at}`,
        created_at: now,
      })),
    );
    const listed = async () => (await world.keys.list(browser.id)).map(({ name }) => name);
    await makeKey(browser);
    expect(await listed()).toHaveLength(103);

    await browser.send('DELETE', `/account/keys/${oldest.id}`);
    await makeKey(browser);
    expect(await listed()).toHaveLength(103);
    expect(await listed()).not.toContain('the oldest');
    expect([await statusAt(gateway, oldest.key), await statusAt(gateway, live.key)]).toEqual([401, 200]);
  });
});

describe('usage', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('shows admitted, refused and failed requests by day and hour, and the limits', async () => {
    const browser = await signedUp(gateway);
    const { key } = await makeKey(browser);
    for (let i = 0; i < 3; i += 1) await statusAt(i % 2 ? gateway : other, key);
    await ask(gateway, '/v1/nothing', { key });
    world.upstream.answer = (_req, res) => res.writeHead(500, { 'content-type': 'text/plain' }).end('no');
    await statusAt(gateway, key);
    world.upstream.answer = (_req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    for (let status = 200; status !== 429; ) status = await statusAt(gateway, key);

    await eventually(async () => {
      const usage = usageSchema.parse((await browser.send('GET', '/account/usage?days=2')).body.data);
      expect(usage.limits).toEqual({ requests_per_minute: 60, requests_per_day: 10_000 });
      expect(usage.days).toHaveLength(2);
      const total = { requests: 0, refused: 0, client_errors: 0, server_errors: 0 };
      for (const day of usage.days) {
        for (const name of Object.keys(total) as (keyof typeof total)[]) {
          total[name] += day[name];
          expect(day.hours.reduce((sum, hour) => sum + hour[name], 0)).toBe(day[name]);
        }
      }
      expect(total.requests).toBeGreaterThanOrEqual(60);
      expect(total).toMatchObject({ refused: 1, client_errors: 1, server_errors: 1 });
      expect(usage.today.used + usage.today.remaining).toBe(10_000);
    });
  }, 30_000);

  it('lists every day, oldest first, also days without requests', async () => {
    const browser = await signedUp(gateway);
    const usage = usageSchema.parse((await browser.send('GET', '/account/usage?days=90')).body.data);
    expect(usage.days).toHaveLength(90);
    const dates = usage.days.map(({ date }) => date);
    expect(dates).toEqual([...dates].sort());
    expect(new Set(dates).size).toBe(90);
  });

  it.each(['days=0', 'days=91', 'days=x', 'day=3', 'days=1&days=2'])('is 400 for ?%s', async (query) => {
    const browser = await signedUp(gateway);
    expect((await browser.send('GET', `/account/usage?${query}`)).status).toBe(400);
  });

  it('tells keys and paths apart, by day and by hour, and their sum is that of all', async () => {
    const browser = await signedUp(gateway);
    const keys = [await keyOf(browser), await keyOf(browser)];
    const paths = ['/v1/signals', '/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z', '/v1/nothing'];
    for (const path of paths) await ask(gateway, path, { key: keys[0] ?? '' });
    await ask(gateway, '/v1/signals', { key: keys[1] ?? '' });
    const read = async (query: string) => {
      const { days } = usageSchema.parse((await browser.send('GET', `/account/usage?${query}`)).body.data);
      const parts = days.flatMap((day) => day.parts ?? []);
      for (const { requests, latency } of parts) {
        expect(latency.reduce((sum, inClass) => sum + inClass)).toBe(requests);
      }
      return parts.map(({ name, requests, client_errors: errors, hours }) => [
        name,
        requests,
        errors,
        hours?.reduce((sum, hour) => sum + hour.requests, 0),
      ]);
    };
    await eventually(
      async () => {
        const byRoute = await read('days=2&by=route');
        expect(byRoute.toSorted()).toEqual([
          ['/v1/signals', 2, 0, 2],
          ['/v1/signals/{signal_id}', 1, 0, 1],
          ['other', 1, 1, 1],
        ]);
      },
      { everyMs: 200 },
    );
    const byKey = await read('days=2&by=key');
    expect(byKey.map(([, requests]) => requests).toSorted()).toEqual([1, 3]);
    const ids = (await browser.send('GET', '/account/keys')).body.data as unknown as { id: string }[];
    expect(byKey.map(([name]) => name).toSorted()).toEqual(ids.map(({ id }) => id).toSorted());
    expect((await read('days=30&by=key')).map(([, , , hours]) => hours)).toEqual([undefined, undefined]);
    expect(await read('days=2')).toEqual([]);
  });

  it('keeps the counts of a failed write for the next one', async () => {
    // The end of a day that is not over for long: MongoDB removes usage by its day, at any moment.
    const nowMs = Math.floor(Date.now() / dayMs) * dayMs - 1_000;
    const log = new UsageLog(world.models, () => nowMs);
    vi.spyOn(world.models.usage, 'bulkWrite').mockRejectedValueOnce(new Error('unavailable'));
    log.note('acct_lost', 200, false, { ...usedBy, latencyMs: 5 });
    await expect(log.write()).rejects.toThrow('unavailable');
    log.note('acct_lost', 404, false, { ...usedBy, latencyMs: 5.1 });
    log.note('acct_lost', 200, false, { ...usedBy, latencyMs: 60_000 });
    log.note('acct_lost', 429, true, { ...usedBy, latencyMs: 1 });
    await log.write();
    const [day] = await log.read('acct_lost', 1, 'key');
    expect(day).toMatchObject({ date: new Date(nowMs).toISOString().slice(0, 10) });
    const figures = { r: 3, f: 1, c: 1, s: 0 };
    expect(day?.hours[23]).toEqual(figures);
    const latency = [1, 1, ...Array(9).fill(0), 1];
    expect(day?.parts).toEqual([{ name: usedBy.key, latency, hours: [{ hour: 23, ...figures }] }]);
  });

  it('counts nothing twice when MongoDB refuses a part of a write', async () => {
    const usage = world.models.usage;
    const today = new Date(Math.floor(Date.now() / dayMs) * dayMs);
    const taken = { _id: `acct_taken:${today.toISOString().slice(0, 10)}`, day: today, hours: {} };
    await usage.create(taken);
    // Ends with a write that MongoDB refuses, after the others took place.
    const bulkWrite = (updates: Parameters<typeof usage.bulkWrite>[0]) =>
      usage.bulkWrite([...updates, { insertOne: { document: taken } }], { ordered: false });
    const log = new UsageLog({ ...world.models, usage: { bulkWrite } as typeof usage }, Date.now);
    const accounts = ['acct_one', 'acct_two'];
    for (const account of accounts) log.note(account, 200, false, usedBy);
    await expect(log.write()).rejects.toThrow('duplicate key');
    await log.write();
    for (const account of accounts) {
      const days = await new UsageLog(world.models, Date.now).read(account, 2);
      expect(days.flatMap(({ hours }) => hours).reduce((sum, { r }) => sum + r, 0)).toBe(1);
    }
  });
});
