import { randomUUID } from 'node:crypto';
import type { LoggedRequest } from '@sigcast/contracts';
import { seededRandom, silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyIdOf } from '../src/domain/api-key.ts';
import { RequestBuffer } from '../src/domain/request-buffer.ts';
import {
  isGap,
  type LoggedEntry,
  type RequestFilter,
  type RequestPosition,
} from '../src/domain/request-log.ts';
import { RequestLog } from '../src/store/request-log.ts';
import { mongoRequestReads } from '../src/store/request-reads.ts';
import { type Browser, keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { requestAt } from './request-entries.ts';

let world: World;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(() => world[Symbol.asyncDispose]());

async function logOf(holder: Browser, query = ''): Promise<LoggedRequest[]> {
  const { status, body } = await holder.send('GET', `/account/requests${query}`);
  expect(status).toBe(200);
  return body.data as unknown as LoggedRequest[];
}

/** The logged requests of a holder, when there are `count`. Asks seldom enough for the limit of an account. */
async function logged(holder: Browser, count: number): Promise<LoggedRequest[]> {
  return eventually(
    async () => {
      const requests = await logOf(holder);
      expect(requests).toHaveLength(count);
      return requests;
    },
    { everyMs: 200 },
  );
}

describe('the log of requests', () => {
  it('has a request with its key, its path without ids, what was answered, and who asked from where', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    const [made] = (await holder.send('GET', '/account/keys')).body.data as unknown as { id: string }[];
    const id = randomUUID();
    const before = Date.now();
    await ask(gateway, '/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z', {
      key,
      address: '2001:DB8::77',
      headers: { 'x-request-id': id, 'user-agent': `bot/${'1'.repeat(300)}` },
    });
    const [entry] = await logged(holder, 1);
    expect(entry).toEqual({
      at: expect.any(String),
      request_id: id,
      key: made?.id,
      method: 'GET',
      route: '/v1/signals/{signal_id}',
      status: 200,
      code: null,
      latency_ms: expect.any(Number),
      address: '2001:db8::77',
      user_agent: `bot/${'1'.repeat(196)}`,
      bytes: expect.any(Number),
      cost: 1,
    });
    expect(Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(before);
    expect(entry?.bytes).toBeGreaterThan(100);
  });

  it('has refused requests of known keys, those of sessions and of MCP, and unknown paths, but nothing of a made-up key', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    const sends: [path: string, init: RequestInit & { key: string }][] = [
      ['/v1/nothing', { key }],
      ['/v1/signals?limit=x', { key, method: 'PATCH' }],
      ['/v1/signals', { key: holder.token ?? '' }],
      ['/v1/signals', { key: `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` }],
    ];
    for (const [path, init] of sends) await ask(gateway, path, init);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await fetch(`${gateway}/mcp`, { method: 'POST', headers, body: '{' });
    const { id } =
      ((await holder.send('GET', '/account/keys')).body.data as unknown as { id: string }[])[0] ?? {};
    await holder.send('DELETE', `/account/keys/${id}`);
    await ask(gateway, '/v1/signals', { key });
    const found = await logged(holder, 5);
    expect(
      found.map(({ key: by, method, route, status, code, cost }) => [by, method, route, status, code, cost]),
    ).toEqual([
      [id, 'GET', '/v1/signals', 401, 'UNAUTHORIZED', 0],
      [id, 'POST', '/mcp', 400, 'INVALID_REQUEST', 1],
      ['dashboard', 'GET', '/v1/signals', 200, null, 1],
      [id, 'PATCH', '/v1/signals', 405, 'METHOD_NOT_ALLOWED', 1],
      [id, 'GET', null, 404, 'NOT_FOUND', 1],
    ]);
  });

  it('is found by status, class of status, key, route, time and request id', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    await ask(gateway, '/v1/signals', { key });
    await ask(gateway, '/v1/nothing', { key });
    await ask(gateway, '/v1/stats', { key: holder.token ?? '' });
    const [stats, missing, signals] = await logged(holder, 3);
    const found = (query: string) => logOf(holder, query);
    expect(await found('?status=4xx')).toEqual([missing]);
    expect(await found('?status=404')).toEqual([missing]);
    expect(await found('?status=403')).toEqual([]);
    expect(await found('?key=dashboard')).toEqual([stats]);
    expect(await found('?key=programs&route=/v1/stats')).toEqual([]);
    expect(await found('?key=programs&route=/v1/signals')).toEqual([signals]);
    expect(await found(`?key=${signals?.key}&status=2xx`)).toEqual([signals]);
    expect(await found('?route=/v1/stats')).toEqual([stats]);
    expect(await found(`?since=${stats?.at}`)).toEqual([stats]);
    expect(await found(`?request_id=${missing?.request_id}`)).toEqual([missing]);
    expect(await found(`?request_id=${missing?.request_id}&status=2xx`)).toEqual([]);
  });

  it('shows nothing of another account, by no filter', async () => {
    const [holder, other] = [await signedUp(gateway), await signedUp(gateway)];
    const id = randomUUID();
    await ask(gateway, '/v1/signals', { key: await keyOf(holder), headers: { 'x-request-id': id } });
    await logged(holder, 1);
    for (const query of ['', `?request_id=${id}`, '?status=2xx']) {
      expect(await logOf(other, query)).toEqual([]);
    }
  });

  it.each([
    ['status=6xx', 'status'],
    ['status=ok', 'status'],
    ['key=mine', 'key'],
    ['route=/v1/signals/1', 'route'],
    ['since=yesterday', 'since'],
    ['request_id=a', 'request_id'],
    ['limit=101', 'limit'],
    ['cursor=bm90aGluZw', 'cursor'],
    ['page=2', 'page'],
  ])('names the parameter that is wrong: %s', async (query, field) => {
    const holder = await signedUp(gateway);
    const { status, body } = await holder.send('GET', `/account/requests?${query}`);
    expect([status, body.error?.details?.map((detail) => detail.field)]).toEqual([400, [field]]);
    if (field === 'key')
      expect(body.error?.message).toMatch(/^key must be .*, such as key_\w+, or dashboard, or programs$/);
  });
});

/** A log with a clock of its own, as a process has one. */
function processLog(models = world.models, bounds = {}) {
  let nowMs = 0;
  const buffer = new RequestBuffer(
    () => nowMs,
    () => undefined,
    { perAccount: 100_000, perSecond: 100_000, ...bounds },
  );
  const log = new RequestLog(models, buffer, () => nowMs);
  const note = (account: string, atMs: number, entry = {}) => {
    nowMs = atMs;
    buffer.note(account, () => requestAt(atMs, entry));
  };
  return { buffer, log, note };
}

async function everyPage(account: string, filter: RequestFilter, limit: number): Promise<LoggedEntry[]> {
  const entries: LoggedEntry[] = [];
  let after: RequestPosition | undefined;
  do {
    const page = await mongoRequestReads(world.models).page(account, filter, { limit, after });
    entries.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  return entries;
}

const idsOf = (entries: readonly LoggedEntry[]) => entries.map((entry) => ('id' in entry ? entry.id : 'gap'));
const freshAccount = () => `acct_${randomUUID()}`;
const startMs = Date.now() - 3_600_000;

describe('pages of the log', () => {
  it('have each request of several processes once, newest first, whatever their size and filter', async () => {
    const account = freshAccount();
    const random = seededRandom(70);
    const processes = [processLog(), processLog(), processLog()];
    const noted: { at: number; id: string; status: number }[] = [];
    for (let i = 0, at = startMs; i < 900; i += 1) {
      // Bursts within a millisecond, and pauses that are longer than a bucket.
      at += random() < 0.3 ? 0 : random() < 0.01 ? 700_000 : Math.floor(random() * 2_000);
      const entry = { id: `req_${i}`, status: random() < 0.1 ? 503 : 200 };
      const one = processes[Math.floor(random() * 3)];
      one?.note(account, at, entry);
      noted.push({ at, ...entry });
      if (random() < 0.1) await one?.log.write();
    }
    for (const { log } of processes) await log.write();
    for (const [filter, limit] of [
      [{}, 7],
      [{}, 100],
      [{ status: { from: 500, to: 599 } }, 3],
    ] as const) {
      const expected = noted.filter(({ status }) => !('status' in filter) || status === 503);
      const found = await everyPage(account, filter, limit);
      expect(found.map(({ at }) => at.getTime())).toEqual(expected.map(({ at }) => at).reverse());
      expect(new Set(idsOf(found))).toEqual(new Set(expected.map(({ id }) => id)));
    }
  }, 60_000);

  it('examine a bounded part of the log, and lead on', async () => {
    const account = freshAccount();
    const { log, note } = processLog();
    note(account, startMs - 300 * 600_000, { id: 'req_rare', status: 500 });
    for (let i = 299; i > 0; i -= 1) note(account, startMs - i * 600_000);
    await log.write();
    const filter = { status: { from: 500, to: 500 } };
    const reads = mongoRequestReads(world.models);
    const first = await reads.page(account, filter, { limit: 10, after: undefined });
    expect([first.entries, first.next === undefined]).toEqual([[], false]);
    const second = await reads.page(account, filter, { limit: 10, after: first.next });
    expect([idsOf(second.entries), second.next]).toEqual([['req_rare'], undefined]);
  });
});

describe('the writer of the log', () => {
  it('adds nothing twice when the answer of the store was lost', async () => {
    const account = freshAccount();
    const { log, note, buffer } = processLog();
    const { requests } = world.models;
    const bulkWrite = requests.bulkWrite.bind(requests);
    const loses = () =>
      vi.spyOn(requests, 'bulkWrite').mockImplementationOnce(async (...given) => {
        await bulkWrite(...given);
        throw new Error('the answer is lost');
      });
    // The first write makes a bucket, the second adds to it.
    for (const id of ['req_1', 'req_2']) {
      note(account, startMs, { id });
      loses();
      await expect(log.write()).rejects.toThrow('lost');
      await log.write();
    }
    expect(idsOf(await everyPage(account, {}, 10))).toEqual(['req_2', 'req_1']);
    expect(buffer.size).toBe(0);
  });

  it('keeps about the newest requests of an account', async () => {
    const account = freshAccount();
    const { log, note } = processLog();
    for (let i = 0; i < 1_000; i += 1) note(account, startMs + i, { id: `req_${i}` });
    await log.write();
    await log.trim(account, 500);
    const left = idsOf(await everyPage(account, {}, 100));
    expect(left).toHaveLength(600);
    expect(left.at(-1)).toBe('req_400');
  });

  it('writes what is in memory when the process stops', async () => {
    const account = freshAccount();
    const { log, note } = processLog();
    const resources = new AsyncDisposableStack();
    log.run(600_000, silentLogger(), resources);
    note(account, startMs, { id: 'req_last' });
    await resources.disposeAsync();
    expect(idsOf(await everyPage(account, {}, 10))).toEqual(['req_last']);
  });

  it('writes a gap that waits for its minute when the process stops', async () => {
    const account = freshAccount();
    const { log, note } = processLog(world.models, { perAccount: 1 });
    for (const atMs of [startMs, startMs + 1_000]) {
      for (let i = 0; i < 3; i += 1) note(account, atMs);
      if (atMs === startMs) await log.write();
    }
    const resources = new AsyncDisposableStack();
    log.run(600_000, silentLogger(), resources);
    await resources.disposeAsync();
    const gaps = (await everyPage(account, {}, 10)).filter(isGap);
    expect(gaps.map(({ dropped }) => dropped)).toEqual([2, 2]);
  });

  it('says how many requests are missing, and of which time, also under a filter', async () => {
    const account = freshAccount();
    const { log, note } = processLog(world.models, { entries: 2 });
    for (let i = 0; i < 5; i += 1) note(account, startMs + i * 1_000);
    await log.write();
    const [gap, ...rest] = await everyPage(account, { status: { from: 200, to: 200 } }, 10);
    const time = { from: new Date(startMs + 2_000), at: new Date(startMs + 4_000) };
    expect(gap).toMatchObject({ dropped: 3, ...time });
    expect(rest).toHaveLength(2);
    expect(await everyPage(account, { status: { from: 500, to: 599 } }, 10)).toMatchObject([{ dropped: 3 }]);
  });
});

it('while the store of the log hangs, answers come as before, and the log has the requests when it is back', async () => {
  const { hostname, port } = new URL(world.stack.mongodbUri);
  const mongo = await startTcpProxy({ host: hostname, port: Number(port) });
  world.defer(() => mongo[Symbol.asyncDispose]());
  const cut = await world.gateway({ impatient: true, mongodbUri: mongo.through(world.stack.mongodbUri) });
  const holder = await signedUp(gateway);
  const key = await keyOf(holder);
  await eventually(async () => expect((await ask(cut, '/v1/signals', { key })).status).toBe(200));
  await logged(holder, 1);
  mongo.hang();
  const ids = Array.from({ length: 20 }, () => randomUUID());
  for (const id of ids) {
    const answer = await ask(cut, '/v1/signals', { key, headers: { 'x-request-id': id } });
    expect(answer.status).toBe(200);
  }
  await eventually(async () => {
    expect(await world.metric(cut, 'sigcast_gateway_request_log_buffered')).toBe(20);
  });
  mongo.restore();
  const found = await logged(holder, 21);
  expect(found.slice(0, 20).map(({ request_id: id }) => id)).toEqual(ids.reverse());
  expect(await world.metric(cut, 'sigcast_gateway_request_log_buffered')).toBe(0);
}, 60_000);

it('REQUEST_LOG=false: nothing is logged', async () => {
  const quiet = await world.gateway({ env: { REQUEST_LOG: 'false' } });
  const holder = await signedUp(gateway);
  const key = await keyOf(holder);
  await ask(quiet, '/v1/signals', { key });
  await ask(gateway, '/v1/stats', { key });
  expect((await logged(holder, 1)).map(({ route }) => route)).toEqual(['/v1/stats']);
});

it('a request that came too fast counts as dropped in the metrics', async () => {
  let nowMs = Date.now();
  const gateway = await world.gateway({ clock: () => nowMs });
  const { key, account, sha256 } = await world.customer();
  const dropped = 'sigcast_gateway_request_log_dropped_total';
  await Promise.all(Array.from({ length: 110 }, () => ask(gateway, '/v1/signals', { key })));
  await eventually(async () => expect(await world.metric(gateway, dropped)).toBe(10));
  nowMs += 60_000; // what is missing is written once a minute
  await eventually(async () => {
    const entries = await everyPage(account, { key: keyIdOf(sha256) }, 100);
    const missing = entries.reduce((sum, entry) => sum + ('dropped' in entry ? entry.dropped : 0), 0);
    expect(missing).toBe(10);
  });
});

it('of requests with a revoked key, the log of its account takes few', async () => {
  const nowMs = Date.now();
  const gateway = await world.gateway({ clock: () => nowMs });
  const { key, sha256, account } = await world.customer();
  await world.keys.revoke(sha256);
  await world.propagator.propagate(account);
  const asked = Array.from({ length: 70 }, () => ask(gateway, '/v1/signals', { key }));
  for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
  await eventually(async () => {
    expect(await world.metric(gateway, 'sigcast_gateway_request_log_dropped_total')).toBe(10);
  });
});
