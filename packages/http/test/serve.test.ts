import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { failureSchema } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import {
  createApp,
  finishApp,
  healthRoutes,
  resource,
  type ServeSettings,
  sendData,
  serve,
} from '../src/index.ts';

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

const listen = async (
  app: Parameters<typeof serve>[0],
  resources: AsyncDisposableStack,
  { port = 0, ...settings }: Partial<ServeSettings> = {},
) => serve(app, { host: '127.0.0.1', port, ...settings }, silentLogger(), resources);

const fetchWith = async (agent: Agent, url: string): Promise<string> => {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return (await response.setEncoding('utf8').toArray()).join('');
};

describe('serve', () => {
  it('fails when the port is taken', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    await expect(listen(slowApp().app, resources, { port: Number(new URL(url).port) })).rejects.toMatchObject(
      {
        code: 'EADDRINUSE',
      },
    );
  });

  it('makes requests and answers as Express wants them, so that their prototype is not changed', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const changed: object[] = [];
    const setting = jest.spyOn(Object, 'setPrototypeOf').mockImplementation((target: object, prototype) => {
      if (Object.getPrototypeOf(target) !== prototype) changed.push(target);
      Reflect.setPrototypeOf(target, prototype);
      return target;
    });
    resources.defer(() => setting.mockRestore());
    expect((await fetch(`${url}/fast`)).status).toBe(200);
    expect(setting).toHaveBeenCalledTimes(2);
    expect(changed).toEqual([]);
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

  it('tells a client that asks at once that its body may come, where the application does not say so itself', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const asking = request(`${url}/fast`, {
      method: 'GET',
      headers: { expect: '100-continue', 'content-length': 2 },
    });
    const both = Promise.all([once(asking, 'response'), once(asking, 'continue')]);
    asking.flushHeaders();
    const [[response]] = (await both) as [[IncomingMessage], unknown];
    asking.end('{}');
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
    // Connections that come while the listener closes are answered.
    await eventually(() => expect(fetch(`${url}/fast`)).rejects.toThrow());
    release();
    expect(JSON.parse(await answer)).toEqual({ success: true, data: 'slow' });
    await stopped;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    agent.destroy();
  });
});

/** Whether nobody listens any more. A connection that was made all the same is let go. */
async function refused(port: number): Promise<void> {
  const made = rawConnection(port);
  made.then(({ socket }) => socket.destroy()).catch(() => undefined);
  await expect(made).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}

/** A server whose process can be told to stop, before it is released. */
async function stoppable(app = slowApp().app, settings: Partial<ServeSettings> = {}) {
  const resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const shutdown = { stopping: stop.signal, timeoutMs: 20_000 };
  const url = await listen(app, resources, { shutdown, ...settings });
  return {
    url,
    port: Number(new URL(url).port),
    stop: () => stop.abort(),
    release: () => resources.disposeAsync(),
  };
}

/** A connection as a client keeps it, over which it sends requests by hand. */
async function rawConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  const ended = once(socket, 'end');
  return {
    socket,
    ended,
    received: () => received,
    /** Resolves with everything received when it matches. */
    until: async (pattern: RegExp) => {
      while (!pattern.test(received)) await once(socket, 'data');
      return received;
    },
  };
}

const getFast = 'GET /fast HTTP/1.1\r\nHost: x\r\n\r\n';

describe('a server whose process is told to stop', () => {
  it('says that it is not ready, and that it lives', async () => {
    const app = createApp(silentLogger());
    healthRoutes(app, {});
    const { url, stop, release } = await stoppable(finishApp(app, silentLogger()));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    stop();
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping', checks: {} }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await release();
  });

  it('takes new connections, and ends each with its next answer, which says so', async () => {
    const { url, port, stop, release } = await stoppable();
    const kept = await rawConnection(port);
    kept.socket.write(getFast);
    expect(await kept.until(/"fast"/)).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n/);
    stop();
    kept.socket.write(getFast);
    await kept.ended;
    expect(kept.received()).toMatch(/"fast".*Connection: close.*"fast"/s);
    const answer = await fetch(`${url}/fast`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await release();
  });

  it('answers what comes over connections that are open when it takes no more, and then is gone', async () => {
    const { port, stop, release } = await stoppable();
    const [idle, silent, half] = [
      await rawConnection(port),
      await rawConnection(port),
      await rawConnection(port),
    ];
    idle.socket.write(getFast);
    await idle.until(/"fast"/);
    half.socket.write(getFast.slice(0, 10));
    stop();
    // The time that it has been stopping is the longest that it waits for such a client.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const released = release();
    await eventually(() => refused(port));
    for (const [connection, sent] of [
      [idle, getFast],
      [silent, getFast],
      [half, getFast.slice(10)],
    ] as const) {
      connection.socket.write(sent);
      await connection.ended;
      expect(connection.received()).toMatch(/Connection: close.*"fast"/s);
    }
    await released;
  });

  it.each(['100-continue', '200-ok'])(
    'answers a request with Expect: %s in hand on a connection that was used, and then is gone',
    async (expectation) => {
      const { app, begun, release: answer } = slowApp();
      const { port, stop, release } = await stoppable(app);
      const kept = await rawConnection(port);
      kept.socket.write(getFast);
      await kept.until(/"fast"/);
      kept.socket.write(
        `GET /slow HTTP/1.1\r\nHost: x\r\nExpect: ${expectation}\r\nContent-Length: 2\r\n\r\n{}`,
      );
      await begun;
      stop();
      const released = release();
      await eventually(() => refused(port));
      answer();
      await kept.ended;
      expect(kept.received()).toMatch(/"fast".*HTTP\/1\.1 200 .*Connection: close.*"slow"/s);
      await released;
    },
  );

  it('sends an answer whole, however slowly the client takes it', async () => {
    const app = createApp(silentLogger());
    resource(app, '/large', { GET: (_req, res) => sendData(res, 'x'.repeat(20_000_000)) });
    const { port, stop, release } = await stoppable(finishApp(app, silentLogger()));
    const client = connect(port, '127.0.0.1');
    client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'readable');
    stop();
    const released = release();
    await eventually(() => refused(port));
    let bytes = 0;
    for await (const chunk of client) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(20_000_000);
    await released;
  });

  it('ends streams when it takes no more connections, not before', async () => {
    const streams = new Set<() => void>();
    const app = createApp(silentLogger());
    resource(app, '/stream', {
      GET: (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
        streams.add(() => res.end());
      },
    });
    const endStreams = () => {
      for (const end of streams) end();
    };
    const { url, stop, release } = await stoppable(finishApp(app, silentLogger()), { endStreams });
    stop();
    const stream = await fetch(`${url}/stream`);
    const text = stream.text();
    expect(streams.size).toBe(1);
    await release();
    expect(await text).toBe(':\n\n');
  });
});

describe('what is not HTTP', () => {
  it.each(['nonsense\r\n\r\n', `GET /fast HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`])(
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
    [{ broker: ok }, { broker: away }, 200, { status: 'ready', checks: { broker: 'failing' } }],
    [{ broker: away }, { broker: away }, 503, { status: 'not ready', checks: { broker: 'failing' } }],
    [
      { store: away },
      { broker: ok },
      503,
      { status: 'not ready', checks: { store: 'failing', broker: 'ok' } },
    ],
  ])(
    'is ready when all it needs is there, and shows the rest: %#',
    async (checks, reportedChecks, status, body) => {
      await using resources = new AsyncDisposableStack();
      const app = createApp(silentLogger());
      healthRoutes(app, checks, reportedChecks);
      const url = await listen(finishApp(app, silentLogger()), resources);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([status, body]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );
});
