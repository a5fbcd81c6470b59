import {
  type ApiScope,
  apiKeySchema,
  apiOperations,
  apiScopeNames,
  createdApiKeySchema,
} from '@sigcast/contracts';
import { eventually, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let gateways: readonly string[];
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateways = await Promise.all([world.gateway(), world.gateway()]);
  [gateway = ''] = gateways;
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.requests.length = 0;
  world.upstream.answer = okAnswer;
});

async function makeKey(holder: Browser, given: object = {}) {
  const answer = await holder.send('POST', '/account/keys', { name: 'narrow', ...given });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return createdApiKeySchema.parse(answer.body.data);
}

async function change(holder: Browser, id: string, given: object) {
  const answer = await holder.send('PATCH', `/account/keys/${id}`, given);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return apiKeySchema.parse(answer.body.data);
}

const fieldsOf = ({ body }: { body: { error?: { details?: { field: string }[] } } }) =>
  body.error?.details?.map(({ field }) => field);

/** A request of each operation under /v1, with what it needs and nothing that a service would look at. */
const requests = apiOperations.flatMap(({ method, path, scope }) => {
  const target = path.replaceAll(/\{\w+\}/g, 'x');
  return (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).map((name) => ({
    method: name,
    target,
    scope,
  }));
});

const tell = async ({ method, target }: { method: string; target: string }, key: string) => {
  const json = { 'content-type': 'application/json' };
  const { status, body } = await ask(gateway, target, {
    key,
    method,
    ...(/POST|PATCH/.test(method) && { headers: json, body: '{}' }),
  });
  return { status, code: body.error?.code, message: body.error?.message };
};

describe('a key with scopes', () => {
  it('is let through to the operations of its scopes, HEAD included, and gets 403 for every other, which names the scope', async () => {
    const holder = await signedUp(gateway);
    const keys = new Map<ApiScope, string>();
    for (const scope of apiScopeNames) keys.set(scope, (await makeKey(holder, { scopes: [scope] })).key);
    await world.command(['plan', 'set', 'wide', '--per-minute', '10000', '--per-day', '100000']);
    await world.command(['account', 'set-plan', holder.id, 'wide']);
    for (const request of requests) {
      for (const [scope, key] of keys) {
        const { status, code, message } = await tell(request, key);
        if (scope === request.scope) expect(status, `${request.method} ${request.target}`).toBe(200);
        else {
          expect(status, `${request.method} ${request.target} with ${scope}`).toBe(403);
          if (request.method === 'HEAD') continue;
          expect(code).toBe('SCOPE_REQUIRED');
          expect(message).toBe(`This API key lacks the scope ${request.scope}`);
        }
      }
    }
  });

  it('reads what its scope allows with as_of too, and is told what does not exist', async () => {
    const holder = await signedUp(gateway);
    const { key } = await makeKey(holder, { scopes: ['signals:read'] });
    const at = 'as_of=2026-01-01T00:00:00Z';
    expect((await ask(gateway, `/v1/signals?${at}`, { key })).status).toBe(200);
    expect((await ask(gateway, `/v1/stats?${at}`, { key })).status).toBe(403);
    expect((await ask(gateway, '/v1/nothing', { key })).status).toBe(404);
    expect((await ask(gateway, '/v1/stats', { key, method: 'PUT' })).status).toBe(405);
  });

  it('consumes nothing of its account where it is refused, and counts against the client address', async () => {
    const holder = await signedUp(gateway);
    const { key } = await makeKey(holder, { scopes: ['stats:read'] });
    const address = freshAddress();
    for (let n = 0; n < 60; n += 1)
      expect((await ask(gateway, '/v1/signals', { key, address })).status).toBe(403);
    expect((await ask(gateway, '/v1/signals', { key, address })).status).toBe(429);
    const allowed = await ask(gateway, '/v1/stats', { key });
    expect(allowed.headers.get('ratelimit')).toMatch(/"minute";r=59;.*"day";r=9999;/);
    expect((await ask(gateway, '/v1/stats', { key, address })).status).toBe(200);
  });
});

describe('a changed key', () => {
  it('is admitted and refused as it is now by the next request at every gateway, narrowed and widened', async () => {
    const holder = await signedUp(gateway);
    const { id, key } = await makeKey(holder);
    const statuses = async () =>
      Promise.all(gateways.map(async (at) => (await ask(at, '/v1/stats', { key })).status));
    for (let round = 0; round < 10; round += 1) {
      expect(await statuses()).toEqual([200, 200]);
      await change(holder, id, { scopes: ['signals:read'] });
      expect(await statuses()).toEqual([403, 403]);
      await change(holder, id, { scopes: ['signals:read', 'stats:read'], networks: ['192.0.2.0/24'] });
      expect(await statuses()).toEqual([403, 403]);
      await change(holder, id, { scopes: null, networks: null });
    }
  });

  it('keeps what the change lacks, and its successor has the same', async () => {
    const holder = await signedUp(gateway);
    const given = { scopes: ['stats:read'], networks: ['10.9.8.7/8', '10.0.0.0/8'], requests_per_minute: 5 };
    const { id } = await makeKey(holder, given);
    const limits = { scopes: ['stats:read'], networks: ['10.0.0.0/8'], requests_per_minute: 5 };
    expect(await change(holder, id, { name: 'renamed' })).toMatchObject({ name: 'renamed', ...limits });
    expect(await change(holder, id, { requests_per_minute: null })).toMatchObject({
      ...limits,
      requests_per_minute: null,
    });
    const rotated = await holder.send('POST', `/account/keys/${id}/rotate`, { overlap_days: 7 });
    expect(rotated.body.data).toMatchObject({ name: 'renamed', ...limits, requests_per_minute: null });
  });

  it('stays as it is where it is revoked, or another account’s', async () => {
    const holder = await signedUp(gateway);
    const { id } = await makeKey(holder);
    const stranger = await signedUp(gateway);
    expect((await stranger.send('PATCH', `/account/keys/${id}`, { name: 'mine' })).status).toBe(404);
    await holder.send('DELETE', `/account/keys/${id}`);
    expect((await holder.send('PATCH', `/account/keys/${id}`, { name: 'again' })).status).toBe(409);
  });

  it('ends its open streams at every gateway, and is then refused, when the scope or the network is taken', async () => {
    world.upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('retry: 1000\nid: pos_1\n\n');
    };
    const holder = await signedUp(gateway);
    for (const narrowed of [{ scopes: ['signals:read'] }, { networks: ['192.0.2.0/24'] }]) {
      const { id, key } = await makeKey(holder, { scopes: ['events:read'], networks: ['203.0.113.0/24'] });
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.5' };
      const streams = await Promise.all(gateways.map((at) => openEventSource(`${at}/v1/stream`, headers)));
      expect(streams.map(({ status }) => status)).toEqual([200, 200]);
      await change(holder, id, narrowed);
      expect(await Promise.all(streams.map(({ over }) => over))).toEqual(['ended', 'ended']);
      await using again = await openEventSource(`${gateway}/v1/stream`, headers);
      expect(again.status).toBe(403);
    }
  });
});

describe('a key with networks', () => {
  it('is refused from elsewhere with 403, which says the address that was seen and no scope', async () => {
    const holder = await signedUp(gateway);
    const networks = ['203.0.113.0/24', '2001:db8:7::/48'];
    const { key } = await makeKey(holder, { networks, scopes: ['stats:read'] });
    const from = (address: string, path = '/v1/stats') => ask(gateway, path, { key, address });
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109', '2001:DB8:7::1']) {
      expect((await from(address)).status, address).toBe(200);
    }
    for (const [address, seen] of [
      ['203.0.114.9', '203.0.114.9'],
      ['::ffff:203.0.114.9', '203.0.114.9'],
      ['2001:db8:8::1', '2001:db8:8::1'],
      ['203.0.113.9, 198.51.100.77', '198.51.100.77'],
    ] as const) {
      const { status, body } = await from(address, '/v1/signals');
      expect(status, address).toBe(403);
      expect(body.error).toMatchObject({
        code: 'NETWORK_NOT_ALLOWED',
        message: `This API key can't be used from ${seen}`,
      });
    }
  });

  it('is not opened by X-Forwarded-For of a client, at a gateway that no proxy is in front of', async () => {
    const direct = await world.gateway({ env: { TRUST_PROXY: 'false' } });
    const holder = await signedUp(gateway);
    const { key } = await makeKey(holder, { networks: ['203.0.113.0/24'] });
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip']) {
      const value = name === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9';
      const answer = await fetch(`${direct}/v1/stats`, {
        headers: { authorization: `Bearer ${key}`, [name]: value },
      });
      expect(answer.status, name).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: 'NETWORK_NOT_ALLOWED' } });
    }
    const { key: local } = await makeKey(holder, { networks: ['127.0.0.0/8'] });
    expect((await ask(direct, '/v1/stats', { key: local })).status).toBe(200);
  });

  it('behind our proxy, is opened by the address that the proxy has added, and by no other', async () => {
    const holder = await signedUp(gateway);
    const { key } = await makeKey(holder, { networks: ['203.0.113.0/24'] });
    const status = async (address: string) => (await ask(gateway, '/v1/stats', { key, address })).status;
    expect(await status('198.51.100.1, 203.0.113.9')).toBe(200);
    expect(await status('203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await status('203.0.113.9,203.0.113.8,unknown')).toBe(403);
  });
});

describe('a key with a limit of its own', () => {
  it('is refused above it, with headers about its window, and leaves the rest to the account', async () => {
    const holder = await signedUp(gateway);
    const { key } = await makeKey(holder, { requests_per_minute: 2 });
    const { key: other } = await makeKey(holder);
    const take = (by: string) => ask(gateway, '/v1/stats', { key: by });
    const first = await take(key);
    expect(first.headers.get('x-ratelimit-limit')).toBe('2');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"minute";q=60;w=60, "day";q=10000;w=86400, "key";q=2;w=60',
    );
    expect((await take(key)).status).toBe(200);
    for (let n = 0; n < 5; n += 1) {
      const refused = await take(key);
      expect(refused.status).toBe(429);
      expect(refused.body.error?.message).toMatch(
        /^Over the API key’s own limit of 2 requests a minute; try/,
      );
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect((await take(other)).headers.get('x-ratelimit-remaining')).toBe('57');
  });
});

describe('a new key', () => {
  it('is refused with the field that is wrong', async () => {
    const holder = await signedUp(gateway);
    const fields = async (given: object) =>
      fieldsOf(await holder.send('POST', '/account/keys', { name: 'x', ...given }));
    expect(await fields({ scopes: ['signals:write'] })).toEqual(['scopes.0']);
    expect(await fields({ scopes: [] })).toEqual(['scopes']);
    expect(await fields({ scopes: ['stats:read', 'stats:read'] })).toEqual(['scopes']);
    expect(await fields({ networks: ['10.0.0.0/8', '300.0.0.0/8'] })).toEqual(['networks.1']);
    expect(await fields({ networks: Array.from({ length: 21 }, (_, n) => `10.${n}.0.0/16`) })).toEqual([
      'networks',
    ]);
    expect(await fields({ requests_per_minute: 60 })).toEqual(['requests_per_minute']);
    expect(await fields({ requests_per_minute: 0 })).toEqual(['requests_per_minute']);
    expect(await fields({ expires_at: '2020-01-01T00:00:00Z' })).toEqual(['expires_at']);
    expect(await fields({ expires_at: '2099-01-01T00:00:00Z' })).toEqual(['expires_at']);
    const both = { expires_at: new Date(Date.now() + 86_400_000).toISOString(), expires_in_days: null };
    expect(await fields(both)).toEqual(['expires_at']);
  });

  it('expires at the instant that is given, and 365 days ahead where none is', async () => {
    const holder = await signedUp(gateway);
    const at = new Date(Date.now() + 700 * 86_400_000).toISOString();
    expect((await makeKey(holder, { expires_at: at })).expires_at).toBe(at);
    const usual = Date.parse((await makeKey(holder)).expires_at ?? '') - Date.now();
    expect(Math.round(usual / 86_400_000)).toBe(365);
  });

  it('shows from which address it was last used, beside when', async () => {
    const holder = await signedUp(gateway);
    const { id, key } = await makeKey(holder);
    await ask(gateway, '/v1/stats', { key, address: '2001:db8::42' });
    const listed = () =>
      holder.send('GET', '/account/keys').then(({ body }) => apiKeySchema.array().parse(body.data));
    await eventually(async () => {
      const used = (await listed()).find((one) => one.id === id);
      expect(used).toMatchObject({ last_used_from: '2001:db8::42' });
      expect(used?.last_used_at).not.toBeNull();
    });
  });
});
