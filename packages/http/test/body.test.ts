import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { silentLogger } from '@sigcast/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ByteBudget, createApp, finishApp, readBody, resource, sendData, serve } from '../src/index.ts';

const resources = new AsyncDisposableStack();
let url: string;
/** The parts in which the last body of `/read` was handed over. */
let parts = 0;

/** `/refused` answers without reading the body; `/read` answers with the length of the body. */
function app() {
  const app = createApp(silentLogger());
  resource(app, '/refused', { POST: (_req, res) => sendData(res, 'refused', 401) });
  resource(app, '/read', {
    POST: async (req, res) => {
      parts = 0;
      req.on('data', () => (parts += 1));
      sendData(res, (await readBody(req))?.length);
    },
  });
  return finishApp(app, silentLogger());
}

const listen = (maxBytes: number, timeoutMs: number) => {
  const bodies = { budget: new ByteBudget(maxBytes), timeoutMs };
  return serve(app(), { host: '127.0.0.1', port: 0, bodies }, silentLogger(), resources);
};

beforeAll(async () => {
  url = await listen(1_000_000, 60_000);
});
afterAll(() => resources.disposeAsync());

function post(base: string, path: string, body: string, framing = 'Transfer-Encoding: chunked'): Socket {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n${body}`);
  return socket;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const answerOf = async (socket: Socket) => (await socket.toArray()).join('');

describe('a body', () => {
  it('that takes longer than its timeout is refused, and the connection is closed', async () => {
    const socket = post(await listen(1_000_000, 50), '/read', chunk('{"half":'));
    const answer = await answerOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*The body did not arrive within 0\.05 s/s);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it.each(['/read', '/refused'])(
    'that never ends does not keep the answer of %s back, and its connection is closed while it is sent',
    async (path) => {
      const socket = post(url, path, chunk('x').repeat(99_000));
      const answer = await answerOf(socket);
      expect(answer).toMatch(
        path === '/read' ? /^HTTP\/1\.1 400 .*too many small parts/s : /^HTTP\/1\.1 401 /,
      );
      expect(answer).toMatch(/^connection: close\r$/im);
    },
  );

  it('may arrive in 500 chunks of one byte, and in any number of larger ones', async () => {
    const small = chunk('x').repeat(500);
    const large = chunk('x'.repeat(16)).repeat(6_000);
    for (const [body, length] of [
      [small, 500],
      [large, 96_000],
      [large + small, 96_500],
    ] as const) {
      const socket = post(url, '/read', `${body}0\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [string];
      expect(answer).toContain(`"data":${length}`);
      expect(answer).not.toMatch(/^connection: close\r$/im);
      socket.destroy();
    }
  });

  it('costs no more once it is refused for its many parts, and the next connection gets its own whole', async () => {
    await answerOf(post(url, '/read', chunk('x').repeat(99_000)));
    expect(parts).toBeLessThan(600);
    // The connection ends also where the whole body has arrived.
    const whole = `${chunk('x').repeat(700)}0\r\n\r\n`;
    expect(await answerOf(post(url, '/read', whole))).toContain('400');
    // A request behind it in the same packet fails first.
    const behind = 'POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n';
    for (let i = 0; i < 3; i += 1)
      await answerOf(post(url, '/read', `${chunk('x').repeat(600)}0\r\n\r\n${behind}`));
    const socket = post(url, '/read', 'x'.repeat(100), 'Content-Length: 100');
    expect(String(await once(socket, 'data'))).toContain('"data":100');
    socket.destroy();
  });

  it('that has arrived when its request is refused leaves the connection open', async () => {
    const socket = post(url, '/read', 'x'.repeat(100), 'Content-Length: 100');
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^connection: keep-alive\r$/im);
    socket.destroy();
  });

  it('that is not announced is read as empty', async () => {
    const socket = post(url, '/read', '', 'Accept: */*');
    expect(String(await once(socket, 'data'))).toContain('"data":0');
    socket.destroy();
  });

  it('gives way to new ones when all together are over the budget of the process', async () => {
    const base = await listen(250_000, 60_000);
    // Each holds 70 to 100 kB, and none ends.
    const sockets = Array.from({ length: 4 }, () => post(base, '/read', chunk('x'.repeat(70_000))));
    const answer = await Promise.race(sockets.map(answerOf));
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*Too many bodies are arriving at once/s);
    expect(answer).toMatch(/^retry-after: 1\r$/im);
    const late = post(base, '/read', `${chunk('x'.repeat(70_000))}0\r\n\r\n`);
    expect(String(await once(late, 'data'))).toContain('"data":70000');
    for (const socket of [...sockets, late]) socket.destroy();
  });
});
