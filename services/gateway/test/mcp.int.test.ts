import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usageLetters } from '../src/domain/usage-days.ts';
import { UsageLog } from '../src/store/usage-log.ts';
import { freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let gateway: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway({
    env: { PUBLIC_URL: 'https://api.example.test', OPEN_REQUESTS_PER_ACCOUNT: '2' },
  });
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.requests.length = 0;
  world.upstream.answer = okAnswer;
});

type Message = { readonly method: string; readonly params?: unknown };
type Reply = {
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly [name: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string } & Record<string, unknown>;
};

/** Sends one message as a client of 2025 does, from an address of its own. */
async function send(
  key: string,
  message: Message | readonly Message[],
  {
    url = gateway,
    headers = {},
    ...init
  }: RequestInit & { url?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'x-forwarded-for': freshAddress(),
      ...headers,
    },
    body: JSON.stringify(Array.isArray(message) ? message : { jsonrpc: '2.0', id: 1, ...message }),
    ...init,
  });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.startsWith('text/event-stream')
    ? text.slice(text.indexOf('data: ') + 'data: '.length)
    : text;
  return { status: answer.status, headers: answer.headers, reply: JSON.parse(json) as Reply };
}

const call = (name: string, given: object = {}): Message => ({
  method: 'tools/call',
  params: { name, arguments: given },
});
const left = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'));
const errorOf = ({ reply: { result } }: { reply: Reply }) => {
  expect(result).toMatchObject({ isError: true });
  return JSON.parse(result?.content?.[0]?.text ?? '') as {
    code: string;
    message: string;
    retry_after?: number;
  };
};

describe('a call of a tool', () => {
  it('counts as its operation does, any other message as one request, all in the windows of the keys', async () => {
    const { key } = await world.customer({ perMinute: 100 });
    expect(left(await send(key, { method: 'tools/list' }))).toBe(99);
    expect(left(await send(key, call('list_signals')))).toBe(98);
    expect(left(await send(key, call('list_signals', { as_of: '2026-01-01' })))).toBe(93);
    expect(left(await send(key, call('create_backtest')))).toBe(83);
    expect(left(await send(key, { method: 'resources/read', params: { uri: 'sigcast://events' } }))).toBe(82);
    const answer = await fetch(`${gateway}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    expect(left(answer)).toBe(81);
  });

  it('over the limit reaches no service, and says after how many seconds to try again', async () => {
    const { key } = await world.customer({ perMinute: 2 });
    await send(key, call('list_signals'));
    await send(key, call('create_backtest'));
    const refused = await send(key, call('list_signals'));
    expect(errorOf(refused)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', message: expect.any(String) });
    expect(errorOf(refused).retry_after).toBeGreaterThan(0);
    expect(world.upstream.requests).toHaveLength(2);
    const list = await send(key, { method: 'tools/list' });
    expect({ status: list.status, after: list.headers.get('retry-after') }).toMatchObject({
      status: 429,
      after: expect.stringMatching(/^\d+$/),
    });
  });

  it('is sent to the service as the request of its operation, with an identity in place of the key', async () => {
    const { key } = await world.customer();
    await send(key, call('list_signals', { limit: 5, type: ['new', '3d'], symbol: 'Ä&b', chain: null }), {
      headers: { 'x-request-id': 'req-of-client' },
    });
    const backtest = { filters: { since: '2026-01-01' }, hold_hours: 1 };
    await send(key, call('create_backtest', backtest));
    await send(key, call('get_signal', { signal_id: 'a?limit=1#b' }));
    await send(key, { method: 'resources/read', params: { uri: 'sigcast://events' } });
    expect(world.upstream.requests).toMatchObject([
      { method: 'GET', url: '/v1/signals?limit=5&type=new%2C3d&symbol=%C3%84%26b', body: '' },
      { method: 'POST', url: '/v1/backtests', body: JSON.stringify(backtest) },
      { method: 'GET', url: '/v1/signals/a%3Flimit%3D1%23b' },
      { method: 'GET', url: '/v1/events?order=desc' },
    ]);
    const [{ headers }] = world.upstream.requests as [(typeof world.upstream.requests)[number]];
    expect(headers).toMatchObject({
      'x-request-id': 'req-of-client',
      'x-sigcast-identity': expect.any(String),
    });
    expect(JSON.stringify(headers)).not.toContain(key);
  });

  it('that the scopes of its key do not allow reaches no service, and only tools of its scopes are listed', async () => {
    const { sha256, account, key } = await world.customer();
    await world.keys.change(sha256, { scopes: ['stats:read'] });
    await world.propagator.propagate(account);
    for (const refused of [call('list_signals'), call('create_backtest')]) {
      expect(errorOf(await send(key, refused))).toMatchObject({ code: 'SCOPE_REQUIRED' });
    }
    const resource = await send(key, { method: 'resources/read', params: { uri: 'sigcast://events' } });
    expect(resource.reply.error?.message).toBe('This API key lacks the scope events:read');
    expect(world.upstream.requests).toHaveLength(0);
    expect((await send(key, call('get_statistics'))).reply.result).not.toHaveProperty('isError', true);
    const { result } = (await send(key, { method: 'tools/list' })).reply;
    expect((result?.tools as { name: string }[] | undefined)?.map(({ name }) => name)).toEqual([
      'get_statistics',
      'get_statistics_series',
    ]);
    expect((await send(key, { method: 'resources/list' })).reply.result).toMatchObject({ resources: [] });
  });

  it('that its key is not allowed consumes nothing of its account, as under /v1, and counts against the client address', async () => {
    const { sha256, account, key } = await world.customer({ perMinute: 10 });
    await world.keys.change(sha256, { scopes: ['stats:read'] });
    await world.propagator.propagate(account);
    const headers = { 'x-forwarded-for': freshAddress() };
    const refused = [await send(key, call('list_signals'), { headers })];
    refused.push(await send(key, call('create_backtest'), { headers }));
    expect(refused.map(left)).toEqual([59, 58]);
    expect(left(await send(key, call('get_statistics'), { headers }))).toBe(9);
  });

  it('from an address outside the networks of its key reaches no service, and lists nothing', async () => {
    const { sha256, account, key } = await world.customer();
    await world.keys.change(sha256, { networks: ['192.0.2.0/24'] });
    await world.propagator.propagate(account);
    expect(errorOf(await send(key, call('list_signals')))).toMatchObject({ code: 'NETWORK_NOT_ALLOWED' });
    expect((await send(key, { method: 'tools/list' })).status).toBe(403);
    const inside = { headers: { 'x-forwarded-for': '192.0.2.7' } };
    expect((await send(key, { method: 'tools/list' }, inside)).status).toBe(200);
    expect(world.upstream.requests).toHaveLength(0);
  });

  it('that fails has the error of the API as its result, and nothing of the inside', async () => {
    const { key } = await world.customer();
    world.upstream.answer = (_req, res) => res.writeHead(500).end('Error: secret at /srv/app.ts:12');
    const broken = await send(key, call('list_signals'));
    expect(broken.status).toBe(200);
    expect(errorOf(broken)).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: 'Something went wrong on our side',
    });
    expect(JSON.stringify(broken.reply)).not.toMatch(/secret|app\.ts/);
    world.upstream.answer = (req) => req.socket.destroy();
    expect(errorOf(await send(key, call('list_signals')))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    world.upstream.answer = (_req, res) => {
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .write('{"success":', () => res.socket?.destroy());
    };
    expect(errorOf(await send(key, call('list_signals')))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('is open until it is answered: as many at once as requests, and a client that goes away leaves none', async () => {
    const { key } = await world.customer();
    const waiting: (() => void)[] = [];
    let closed = 0;
    world.upstream.answer = (req, res) => {
      if (req.url === '/v1/stats') return okAnswer(req, res);
      waiting.push(() => okAnswer(req, res));
      res.on('close', () => (closed += 1));
    };
    const gone = new AbortController();
    const first = send(key, call('list_signals'), { signal: gone.signal });
    await eventually(() => expect(waiting).toHaveLength(1));
    await send(key, call('get_statistics'));
    const second = send(key, call('list_signals'));
    await eventually(() => expect(waiting).toHaveLength(2));
    expect(errorOf(await send(key, call('list_signals')))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    gone.abort();
    await expect(first).rejects.toThrow('abort');
    await eventually(() => expect(closed).toBe(1));
    for (const answer of waiting) answer();
    expect((await second).reply.result?.isError).toBeUndefined();
    world.upstream.answer = okAnswer;
    for (let i = 0; i < 3; i += 1) {
      expect((await send(key, call('list_signals'))).reply.result?.isError).toBeUndefined();
    }
  });
});

describe('a message', () => {
  const bodyOf = (message: Message) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  const nested = `${'['.repeat(45_000)}${']'.repeat(45_000)}`;
  const unreadable: [what: string, status: number, body: string][] = [
    ['wrong JSON', 400, '{'],
    ['a batch', 400, '[{"method":"tools/list"}]'],
    ['over 100 kB', 413, 'x'.repeat(100_001)],
    ['a nested parameter', 400, bodyOf(call('list_signals', { symbol: '…' })).replace('"…"', nested)],
    ['a nested body', 400, bodyOf(call('create_backtest', { filters: '…' })).replace('"…"', nested)],
    ['half a character', 400, bodyOf(call('get_signal', { signal_id: '\ud800' }))],
    ['no tool’s name', 200, bodyOf({ method: 'tools/call', params: { name: { toString: 1 } } })],
    ['no address', 200, bodyOf({ method: 'resources/read', params: { uri: { toString: 1 } } })],
    ['no parameters', 400, bodyOf({ method: 'tools/call', params: 7 })],
  ];

  it('without a valid key is refused before it is read, and counts for its address', async () => {
    const headers = { 'x-forwarded-for': freshAddress() };
    for (const [index, [, , body]] of unreadable.entries()) {
      const answer = await send('sk_wrong', { method: '' }, { headers, body });
      expect([answer.status, left(answer)]).toEqual([401, 59 - index]);
    }
  });

  it.each(unreadable)('that is %s is answered %i, and counts as one request', async (_what, status, body) => {
    const { key } = await world.customer({ perMinute: 10 });
    const answer = await send(key, { method: '' }, { body });
    expect([answer.status, left(answer)]).toEqual([status, 9]);
    expect(world.upstream.requests).toHaveLength(0);
  });

  it('is in the usage of its account once, by its answer, or that of the API to its call', async () => {
    const { key, account } = await world.customer({ perMinute: 6 });
    await send(key, { method: 'tools/list' });
    await send(key, { method: 'tools/list' }, { headers: { accept: 'text/plain' } });
    await send(key, { method: '' }, { body: '{' });
    await send(key, call('list_signals'));
    await send(key, call('get_signal'));
    world.upstream.answer = (_req, res) => res.writeHead(500).end();
    await send(key, call('list_signals'));
    await send(key, call('list_signals'));
    await send(key, { method: 'tools/list' });
    await send(key, { method: '' }, { body: '{' });
    const log = new UsageLog(world.models, Date.now);
    await eventually(async () => {
      const sum = { r: 0, f: 0, c: 0, s: 0 };
      for (const { hours } of await log.read(account, 2)) {
        for (const hour of hours) for (const letter of usageLetters) sum[letter] += hour[letter];
      }
      expect(sum).toEqual({ r: 6, f: 3, c: 3, s: 1 });
    });
  });
});

describe('/mcp', () => {
  it('keeps nothing: what one gateway has begun, another one goes on with', async () => {
    const other = await world.gateway();
    const { key } = await world.customer();
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const begun = await send(key, { method: 'initialize', params });
    expect(begun.reply.result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'sigcast' },
    });
    expect(begun.headers.has('mcp-session-id')).toBe(false);
    const called = await send(key, call('list_signals'), {
      url: other,
      headers: { 'mcp-protocol-version': '2025-06-18' },
    });
    expect(called.reply.result).toMatchObject({ structuredContent: { success: true } });
  });

  it('answers 401 to a wrong key, with WWW-Authenticate', async () => {
    for (const message of [{ method: 'tools/list' }, call('list_signals')]) {
      const { status, headers } = await send('sk_wrong', message);
      expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
        status: 401,
        challenge: 'Bearer',
      });
    }
    expect(world.upstream.requests).toHaveLength(0);
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['https://api.example.test', 200],
    ['http://localhost:6274', 200],
  ])('answers a page of %s with %i', async (origin, status) => {
    const { key } = await world.customer();
    expect((await send(key, { method: 'tools/list' }, { headers: { origin } })).status).toBe(status);
  });

  it('takes one message a request, of 100 kB at most, and has no streams', async () => {
    const { key } = await world.customer();
    expect((await send(key, [{ method: 'tools/list' }])).status).toBe(400);
    expect((await send(key, call('list_signals', { symbol: 'x'.repeat(100_000) }))).status).toBe(413);
    const get = await fetch(`${gateway}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    expect({ status: get.status, allow: get.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    const listen = {
      method: 'subscriptions/listen',
      params: {
        notifications: { resourcesListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    expect((await send(key, listen, { headers })).reply.error).toBeDefined();
  });
});
