import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { failureSchema } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { describe, expect, it, vi } from 'vitest';
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
  it('serve fails when the port is taken', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    await expect(listen(slowApp().app, resources, { port: Number(new URL(url).port) })).rejects.toMatchObject(
      {
        code: 'EADDRINUSE',
      },
    );
  });

  it('requests and answers have the prototypes that Express wants, so that Express changes none', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const changed: object[] = [];
    const setting = vi.spyOn(Object, 'setPrototypeOf').mockImplementation((target: object, prototype) => {
      if (Object.getPrototypeOf(target) !== prototype) changed.push(target);
      Reflect.setPrototypeOf(target, prototype);
      return target;
    });
    resources.defer(() => setting.mockRestore());
    expect((await fetch(`${url}/fast`)).status).toBe(200);
    expect(setting).toHaveBeenCalledTimes(2);
    expect(changed).toEqual([]);
  });

  it('a request with an unknown expectation is answered as if it had none', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await listen(slowApp().app, resources);
    const [response] = (await once(get(`${url}/fast`, { headers: { expect: '200-ok' } }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('Expect: 100-continue is answered by 100 before the application answers', async () => {
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

  it('a server without requests under way stops within a second, and closes idle connections', async () => {
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

  it('a server that stops finishes a request under way, accepts no connection, and then ends within two seconds', async () => {
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

/** Resolves when nobody listens any more. Closes a connection that was made all the same. */
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
  it('a stopping server says that it is not ready, and that it lives', async () => {
    const app = createApp(silentLogger());
    healthRoutes(app, { checks: {} });
    const { url, stop, release } = await stoppable(finishApp(app, silentLogger()));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    stop();
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping', checks: {} }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await release();
  });

  it('a stopping server accepts connections, and ends each with its next answer, which says so', async () => {
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

  it('a stopping server answers requests on open connections after it accepts no more, and then ends', async () => {
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
    // An idle connection is kept for as long as the server has been stopping, but at most a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const released = release();
    await eventually(() => refused(port));
    idle.socket.write(getFast);
    silent.socket.write(getFast);
    half.socket.write(getFast.slice(10));
    for (const connection of [idle, silent, half]) {
      await connection.ended;
      expect(connection.received()).toMatch(/Connection: close.*"fast"/s);
    }
    await released;
  });

  it.each(['100-continue', '200-ok'])(
    'a stopping server answers a request with Expect: %s under way on a kept connection, and then ends',
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

  it('a stopping server sends an answer whole, however slowly the client reads it', async () => {
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

  it('a stopping server ends streams when it accepts no more connections, not before', async () => {
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

describe('requests that a client sends ahead', () => {
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  /** A connection to a server whose `/slow` answers when told to, and the requests that the server has handled. */
  async function watched(resources: AsyncDisposableStack) {
    const handled: string[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const app = createApp(silentLogger());
    app.use(async ({ url }, res) => {
      handled.push(url);
      if (url === '/slow') await released;
      sendData(res, url);
    });
    const url = await listen(finishApp(app, silentLogger()), resources);
    return { ...(await rawConnection(Number(new URL(url).port))), handled, release };
  }

  it('are handled in turn, each when the answer before it is sent', async () => {
    await using resources = new AsyncDisposableStack();
    const { socket, until, handled, release } = await watched(resources);
    socket.write(ask('/slow') + ask('/1') + ask('/2'));
    await eventually(() => expect(handled).toEqual(['/slow']));
    release();
    await until(/"\/slow".*"\/1".*"\/2"/s);
    expect(handled).toEqual(['/slow', '/1', '/2']);
    socket.destroy();
  });

  it('close their connection after the 10 that may wait are answered, and are dropped behind these', async () => {
    await using resources = new AsyncDisposableStack();
    const { socket, ended, received, handled, release } = await watched(resources);
    socket.write(ask('/slow') + ask('/1').repeat(10) + ask('/2').repeat(30));
    await eventually(() => expect(handled).toEqual(['/slow']));
    release();
    await ended;
    expect(handled).toEqual(['/slow', ...Array.from({ length: 10 }, () => '/1')]);
    expect(received().match(/"data":"\/1"/g)).toHaveLength(10);
    expect(received()).toMatch(/connection: close/i);
  });

  it('close their connection at once when a client goes on sending them', async () => {
    await using resources = new AsyncDisposableStack();
    const { socket, ended, handled } = await watched(resources);
    socket.write(ask('/slow') + ask('/1').repeat(41));
    await ended;
    expect(handled).toEqual(['/slow']);
  });
});

describe('what is not HTTP', () => {
  it.each(['nonsense\r\n\r\n', `GET /fast HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`])(
    'bytes that are not HTTP are answered in the envelope, and the connection is closed: %#',
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
