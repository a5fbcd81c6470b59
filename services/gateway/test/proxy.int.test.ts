import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { identityVerifier } from '@sigcast/http';
import { createLogger, readConfig, silentLogger } from '@sigcast/runtime';
import { startTracing, tracingSettings } from '@sigcast/telemetry';
import { eventually, startCollector } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer, type ScriptedUpstream } from './scripted-upstream.ts';

let world: World;
let gateway: string;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  world = await World.start();
  upstream = world.upstream;
  gateway = await world.gateway({ env: { UPSTREAM_IDLE_TIMEOUT_MS: '400' } });
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer = okAnswer;
});

/** A request whose headers are exactly these. */
async function raw(url: string, options: { method?: string; headers: Record<string, string | string[]> }) {
  const outgoing = httpRequest(url, { ...options, agent: false });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) };
}

describe('a forwarded request', () => {
  it('has path and query as they were received', async () => {
    const { key } = await world.customer();
    const target = '/v1/signals?since=2026-01-01T00%3a00:00Z&type=new,3d&&x=%20+%e2%82%ac&';
    await raw(`${gateway}${target}`, { headers: { authorization: `Bearer ${key}` } });
    expect(upstream.requests[0]?.url).toBe(target);
  });

  it('has the method and the exact body, chunked or not', async () => {
    const { key } = await world.customer();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? '/v1/webhooks' : '/v1/webhooks/wh_1';
      const body = JSON.stringify({ method, text: 'ä€😀' });
      await ask(gateway, path, { key, method, body });
      const stream = new Blob([body]).stream();
      await ask(gateway, path, { key, method, body: stream, duplex: 'half' } as RequestInit);
      expect(upstream.requests.splice(0)).toMatchObject([
        { method, body },
        { method, body },
      ]);
    }
  });

  it('has a signed identity of the account in place of the key, whatever headers the client forges', async () => {
    const { key, account } = await world.customer();
    await raw(`${gateway}/v1/signals`, {
      headers: {
        authorization: `Bearer ${key}`,
        cookie: 'session=secret',
        'x-sigcast-identity': ['forged', 'twice'],
        'X-Sigcast-Other': 'forged',
      },
    });
    const headers = upstream.requests[0]?.headers ?? {};
    const verify = identityVerifier('gateway', world.identityKeys.publicKey, 'signals');
    expect(verify(String(headers['x-sigcast-identity']))).toEqual({
      issuer: 'gateway',
      subject: account,
      scopes: [],
      expiresAt: expect.any(Date),
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('x-sigcast-other');
    expect(JSON.stringify(headers)).not.toContain(key);
  });

  it.each([
    ['/v1/signals', 'signals'],
    ['/v1/signals?as_of=2026-01-01', 'tracker'],
    ['/v1/stats', 'stats'],
    ['/v1/webhooks', 'webhooks'],
    ['/v1/stream', 'webhooks'],
  ] as const)('%s has an identity that only %s accepts', async (path, service) => {
    const { key, account } = await world.customer();
    await ask(gateway, path, { key });
    const token = String(upstream.requests[0]?.headers['x-sigcast-identity']);
    for (const audience of ['signals', 'stats', 'webhooks', 'tracker'] as const) {
      const verify = () => identityVerifier('gateway', world.identityKeys.publicKey, audience)(token).subject;
      if (audience === service) expect(verify()).toBe(account);
      else expect(verify).toThrow('missing or invalid');
    }
  });

  it('says how many webhooks the plan of the account allows, and whether they wait, where the request makes one', async () => {
    const { key, account } = await world.customer({ webhooks: 7 });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await raw(`${gateway}/v1/webhooks`, { headers });
    await raw(`${gateway}/v1/webhooks`, { method: 'POST', headers });
    await world.models.accounts.updateOne({ _id: account }, { verification: 'pending' });
    await raw(`${gateway}/v1/webhooks`, { method: 'POST', headers });
    const verify = identityVerifier('gateway', world.identityKeys.publicKey, 'webhooks');
    const told = upstream.requests.map((request) => verify(String(request.headers['x-sigcast-identity'])));
    expect(told.map(({ webhooks }) => webhooks)).toEqual([undefined, 7, 7]);
    expect(told.map(({ unverified }) => unverified)).toEqual([undefined, undefined, true]);
  });

  it('has no hop-by-hop headers, and none that Connection lists', async () => {
    const { key } = await world.customer();
    await raw(`${gateway}/v1/signals`, {
      headers: {
        authorization: `Bearer ${key}`,
        connection: 'close, X-Private, x-request-id',
        'x-private': 'for the gateway alone',
        'proxy-authorization': 'Basic x',
        te: 'trailers',
        'x-kept': 'yes',
        'if-none-match': '"etag"',
      },
    });
    const headers = upstream.requests[0]?.headers ?? {};
    for (const name of ['x-private', 'proxy-authorization', 'te']) expect(headers).not.toHaveProperty(name);
    expect(headers).toMatchObject({ 'x-kept': 'yes', 'if-none-match': '"etag"' });
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  it("has the client's request id, and so has its answer", async () => {
    const { key } = await world.customer();
    const answer = await ask(gateway, '/v1/signals', { key, headers: { 'x-request-id': 'client-chosen.1' } });
    expect(upstream.requests[0]?.headers['x-request-id']).toBe('client-chosen.1');
    expect(answer.headers.get('x-request-id')).toBe('client-chosen.1');
  });
});

describe('an answer to a client', () => {
  it("has the gateway's rate-limit and request-id headers, and no hop-by-hop or internal headers of the service", async () => {
    const { key } = await world.customer({ perMinute: 60 });
    upstream.answer = (_req, res) => {
      res.writeHead(200, {
        'content-type': 'application/json',
        connection: 'x-inner',
        'x-inner': 'secret',
        'x-ratelimit-limit': '1',
        'x-ratelimit-degraded': '1',
        ratelimit: '"fake";r=0;t=9',
        'x-request-id': 'not-the-clients',
        'x-sigcast-debug': 'secret',
        server: 'inner/1.0',
        etag: '"abc"',
      });
      res.end('{"success":true,"data":1}');
    };
    const { headers } = await ask(gateway, '/v1/signals', { key });
    expect(headers.get('x-ratelimit-limit')).toBe('60');
    expect(headers.get('ratelimit')).toMatch(/^"minute"/);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    for (const name of ['x-inner', 'x-sigcast-debug', 'server', 'x-ratelimit-degraded', 'x-powered-by']) {
      expect({ name, value: headers.get(name) }).toEqual({ name, value: null });
    }
    expect(headers.get('etag')).toBe('"abc"');
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const { key } = await world.customer();
    const answer = await raw(`${gateway}/v1/signals`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers['x-ratelimit-limit']).toBeDefined();
    expect(upstream.requests[0]?.method).toBe('HEAD');
  });

  it.each(['identity', 'gzip', 'br'])(
    'is streamed (%s): the first part arrives before the service writes the last',
    async (coding) => {
      const { key } = await world.customer();
      const finish = Promise.withResolvers<void>();
      upstream.answer = (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('{"success":true,');
        void finish.promise.then(() => res.end('"data":[]}'));
      };
      const headers = { authorization: `Bearer ${key}`, 'accept-encoding': coding };
      const answer = await fetch(`${gateway}/v1/signals`, { headers });
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding);
      const reader = answer.body?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"success":true,');
      finish.resolve();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('"data":[]}');
    },
  );

  it('of 20 MB arrives completely at a client that reads slowly', async () => {
    const { key } = await world.customer();
    const part = 'x'.repeat(1_000_000);
    upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      for (let i = 0; i < 20; i += 1) res.write(part);
      res.end();
    };
    const answer = await fetch(`${gateway}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += (chunk as Uint8Array).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytes).toBe(20_000_000);
  });
});

describe('a failing service', () => {
  it.each([
    ['HTML in place of JSON', 200, 500],
    ['a page of some balancer', 502, 503],
    ['an unavailable page', 503, 503],
    ['a time-out page', 504, 504],
    ['a redirect to an inner address', 302, 500],
    ["its parser's refusal", 400, 400],
  ])('that answers with %s (%i) becomes %i in our envelope', async (_what, status, expected) => {
    const { key } = await world.customer();
    upstream.answer = (_req, res) => {
      res.writeHead(status, { 'content-type': 'text/html', location: 'http://inner/' }).end('<h1>inner</h1>');
    };
    const answer = await ask(gateway, '/v1/signals', { key });
    expect(answer.status).toBe(expected);
    expect(answer.body.success).toBe(false);
    expect(answer.headers.get('location')).toBeNull();
  });

  it('that breaks HTTP becomes 503', async () => {
    const { key } = await world.customer();
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('220 this is not HTTP\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const to = await world.gateway({ env: { SIGNALS_URL: address } });
    expect((await ask(to, '/v1/signals', { key })).body.error?.code).toBe('SERVICE_UNAVAILABLE');
    await new Promise((resolve) => server.close(resolve));
  });

  it('is counted in the metrics, by service and by the code that the client got', async () => {
    const { key } = await world.customer();
    const own = await world.gateway();
    const failures = (code: string) =>
      world.metric(own, 'sigcast_gateway_upstream_failures_total', { target: 'stats', code });
    upstream.answer = (_req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello');
    expect((await ask(own, '/v1/stats', { key })).status).toBe(500);
    expect(await failures('INTERNAL_ERROR')).toBe(1);
    upstream.answer = (req) => req.socket.destroy();
    expect((await ask(own, '/v1/stats', { key })).status).toBe(503);
    expect(await failures('SERVICE_UNAVAILABLE')).toBe(1);
    const answers = (status: string) =>
      world.answers(own, { http_route: '/v1/stats', http_response_status_code: status });
    expect([await answers('200'), await answers('500'), await answers('503')]).toEqual([0, 1, 1]);
    upstream.answer = okAnswer;
    await ask(own, '/v1/stats', { key });
    expect(await answers('200')).toBe(1);
    upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{', () => res.socket?.destroy());
    };
    await expect(ask(own, '/v1/stats', { key })).rejects.toThrow();
    expect(await failures('BROKEN_OFF')).toBe(1);
  });

  it('that closes the connection before its answer becomes 503', async () => {
    const { key } = await world.customer();
    upstream.answer = (_req, res) => res.socket?.destroy();
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(503);
    expect((await ask(gateway, '/v1/webhooks', { key, method: 'POST', body: '{}' })).status).toBe(503);
  });

  it.each(['closes the connection', 'stops writing'])(
    'that %s in the middle of its answer breaks the connection of the client, which never takes the part for the whole',
    async (how) => {
      const { key } = await world.customer();
      upstream.answer = (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('{"success":tr', () => {
          if (how === 'closes the connection') res.socket?.destroy();
        });
      };
      await expect(
        fetch(`${gateway}/v1/signals`, { headers: { authorization: `Bearer ${key}` } }).then((answer) =>
          answer.text(),
        ),
      ).rejects.toThrow();
      upstream.answer = okAnswer;
      expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    },
  );
});

describe('a system without a tracker', () => {
  it('answers requests that need the history of signals with 503, and all others as usual', async () => {
    const { key } = await world.customer();
    const without = await world.gateway({ env: { TRACKER_URL: '' } });
    const path = '/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z/history';
    const answer = await ask(without, path, { key });
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The history of signals, which as_of and backtests need, is not available on this system',
      retry_after: 60,
    });
    expect(answer.headers.get('retry-after')).toBe('60');
    expect((await ask(without, path, { key, method: 'POST' })).status).toBe(405);
    expect((await ask(without, '/v1/signals?as_of=2026-01-01', { key })).status).toBe(503);
    expect((await ask(without, '/v1/signals', { key })).status).toBe(200);
    const ready = (await (await world.probe(without, '/readyz')).json()) as { checks: object };
    expect(ready.checks).not.toHaveProperty('tracker');
    const own = await world.gateway();
    expect((await ask(own, path, { key })).status).toBe(200);
    expect(upstream.requests.at(-1)?.url).toBe(path);
    const past = '/v1/signals?as_of=2026-01-01&limit=1';
    expect((await ask(own, past, { key })).status).toBe(200);
    expect(upstream.requests.at(-1)?.url).toBe(past);
  });
});

describe('the log line of a failed request', () => {
  it('has the trace of its own request, not of the request that opened the connection', async () => {
    await using resources = new AsyncDisposableStack();
    const collector = resources.use(await startCollector());
    const config = readConfig(tracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await startTracing({ service: 'gateway', config, log: silentLogger() }, resources);
    const lines: string[] = [];
    const log = createLogger({ service: 'gateway', destination: { write: (line) => lines.push(line) } });
    const traced = await world.gateway({ log });
    const { key } = await world.customer();
    const sockets = new Set<unknown>();
    upstream.answer = (req, res) => {
      sockets.add(req.socket);
      if (upstream.requests.length === 1) okAnswer(req, res);
      else res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    };
    expect((await ask(traced, '/v1/signals', { key })).status).toBe(200);
    expect((await ask(traced, '/v1/signals', { key })).status).toBe(503);
    expect(sockets.size).toBe(1);

    const [opening, broken] = upstream.requests.map(({ headers }) => ({
      request_id: headers['x-request-id'],
      trace_id: String(headers.traceparent).slice(3, 35),
    }));
    expect(broken?.trace_id).not.toBe(opening?.trace_id);
    const failures = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request failed');
    expect(failures).toEqual([expect.objectContaining({ ...broken })]);
  });
});

describe('a client that goes away', () => {
  it('ends its request at the service', async () => {
    const { key } = await world.customer();
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    upstream.answer = (_req, res) => {
      res.once('close', () => gone.resolve());
      arrived.resolve();
    };
    const abort = new AbortController();
    const asked = fetch(`${gateway}/v1/signals`, {
      headers: { authorization: `Bearer ${key}` },
      signal: abort.signal,
    });
    await arrived.promise;
    abort.abort();
    await expect(asked).rejects.toThrow();
    await gone.promise;
  });

  it('in the middle of its body is counted as 499, and the service gets no request', async () => {
    const { key, account } = await world.customer();
    const gone = () => world.answers(gateway, { http_response_status_code: '499' });
    const before = await gone();
    const outgoing = httpRequest(`${gateway}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    outgoing.on('error', () => undefined);
    outgoing.write('{"url":');
    outgoing.flushHeaders();
    await eventually(async () => {
      expect((await world.redis.hgetall(`{${account}}:windows`)).m).toBe('1');
    });
    outgoing.destroy();
    await eventually(async () => expect(await gone()).toBe(before + 1));
    expect(upstream.requests).toEqual([]);
  });
});

describe('probes', () => {
  it.each(['/healthz', '/readyz'] as const)(
    'clients do not reach the probe %s, which the port of the metrics answers',
    async (path) => {
      const gateway = await world.gateway();
      expect((await fetch(`${gateway}${path}`)).status).toBe(404);
      expect((await world.probe(gateway, path)).status).toBe(200);
    },
  );
});
