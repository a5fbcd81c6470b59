import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { failureSchema } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { createApp, finishApp, healthRoutes, resource, sendData, serve } from '../src/index.ts';

/** An application whose `/slow` answers when told to. */
function slowApp() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const app = createApp(silentLogger());
  resource(app, '/fast', { GET: (_req, res) => sendData(res, 'fast') });
  resource(app, '/slow', {
    GET: async (_req, res) => {
      begin();
      await released;
      sendData(res, 'slow');
    },
  });
  return { app: finishApp(app, silentLogger()), begun, release };
}

const listen = async (app: Parameters<typeof serve>[0], resources: AsyncDisposableStack, port = 0) =>
  serve(app, { host: '127.0.0.1', port }, silentLogger(), resources);

const fetchWith = async (agent: Agent, url: string): Promise<string> => {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return (await response.setEncoding('utf8').toArray()).join('');
};

describe('serve', () => {
  it('fails when the port is taken', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    await expect(listen(slowApp().app, resources, Number(new URL(url).port))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('answers a request with an expectation it does not know as if it had none', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const [response] = (await once(get(`${url}/fast`, { headers: { expect: '200-ok' } }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('stops at once when nothing is in hand, closing connections that only wait', async () => {
    const resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const agent = new Agent({ keepAlive: true });
    await fetchWith(agent, `${url}/fast`);
    const silent = connect(Number(new URL(url).port), '127.0.0.1');
    await once(silent, 'connect');
    const startedAt = performance.now();
    await resources.disposeAsync();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    silent.destroy();
    agent.destroy();
  });

  it('lets a request in hand finish when it stops, takes no other, and then is gone at once', async () => {
    const { app, begun, release } = slowApp();
    const resources = new AsyncDisposableStack();
    const url = await listen(app, resources);
    const agent = new Agent({ keepAlive: true });
    const answer = fetchWith(agent, `${url}/slow`);
    await begun;
    const startedAt = performance.now();
    const stopped = resources.disposeAsync();
    await expect(fetch(`${url}/fast`)).rejects.toThrow();
    release();
    expect(JSON.parse(await answer)).toEqual({ success: true, data: 'slow' });
    await stopped;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    agent.destroy();
  });
});

describe('what is not HTTP', () => {
  it.each(['nonsense\r\n\r\n', `GET /fast HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`])(
    'is answered in the envelope and cut: %#',
    async (sent) => {
      await using resources = new AsyncDisposableStack();
      const url = await listen(slowApp().app, resources);
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(sent);
      const [head, body] = (await socket.setEncoding('utf8').toArray()).join('').split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(failureSchema.parse(JSON.parse(body ?? '')).error.code).toBe('INVALID_REQUEST');
    },
  );
});

describe('health', () => {
  const ok = () => Promise.resolve();
  const away = () => Promise.reject(new Error('away'));
  const never = () => new Promise<void>(() => undefined);

  it.each([
    [{ store: ok }, {}, 200, { status: 'ready', checks: { store: 'ok' } }],
    [{ store: away }, {}, 503, { status: 'not ready', checks: { store: 'failing' } }],
    [{ store: never }, {}, 503, { status: 'not ready', checks: { store: 'failing' } }],
    [{ store: ok }, { broker: away }, 200, { status: 'ready', checks: { store: 'ok', broker: 'failing' } }],
    [
      { store: away },
      { broker: ok },
      503,
      { status: 'not ready', checks: { store: 'failing', broker: 'ok' } },
    ],
  ])(
    'is ready when all it needs is there, and shows the rest: %#',
    async (checks, informational, status, body) => {
      await using resources = new AsyncDisposableStack();
      const app = createApp(silentLogger());
      healthRoutes(app, checks, informational);
      const url = await listen(finishApp(app, silentLogger()), resources);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([status, body]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );
});
