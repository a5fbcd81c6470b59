import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { eventually, testAuthority } from '@sigcast/testing';
import { afterEach, expect, it } from 'vitest';
import { type SenderOptions, sender } from '../src/sending/sender.ts';
import { claimedFor } from './claimed.ts';
import { startNameServer } from './name-server.ts';
import { testSealer } from './test-sealer.ts';
import { developmentPolicy } from './test-workers.ts';

let scope = new AsyncDisposableStack();
afterEach(async () => {
  await scope.disposeAsync();
  scope = new AsyncDisposableStack();
});

/** A receiver that counts its connections. */
async function listen(
  answer: RequestListener,
  options: { address?: string; port?: number; tls?: { cert: string; key: string } } = {},
) {
  const server = options.tls ? createHttpsServer(options.tls) : createServer();
  // The server closes no idle connection of its own accord.
  server.keepAliveTimeout = 0;
  const sockets = new Set<Socket>();
  const receiver = { url: '', made: 0, open: sockets };
  server.on('request', answer);
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    receiver.made += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.address ?? '127.0.0.1', resolve),
  );
  scope.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  receiver.url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return receiver;
}

const ok: RequestListener = (_request, response) => response.end('ok');

function start(options: Partial<SenderOptions> = {}) {
  const made = sender({ policy: developmentPolicy, secrets: testSealer, now: Date.now, ...options });
  scope.defer(() => made.close());
  return (url: string, attemptCount = 0) => {
    const claimed = claimedFor(url);
    return made.send({ ...claimed, delivery: { ...claimed.delivery, attemptCount } });
  };
}

it('connections to receivers are used again, and the log then has their address and no time of connecting', async () => {
  const receiver = await listen(ok);
  const send = start();
  await send(`${receiver.url}/one`);
  const second = await send(`${receiver.url}/two`);
  expect(receiver.made).toBe(1);
  expect(second).toMatchObject({
    outcome: 'succeeded',
    address: '127.0.0.1',
    timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: expect.any(Number) },
  });
});

it('connections to receivers over TLS are used again, too', async () => {
  const authority = await testAuthority();
  setDefaultCACertificates([authority.ca]);
  const receiver = await listen(ok, { tls: await authority.issue('127.0.0.1') });
  const send = start();
  expect(await send(receiver.url)).toMatchObject({
    outcome: 'succeeded',
    error: null,
    timings: { tls_ms: expect.any(Number) },
  });
  expect(await send(receiver.url)).toMatchObject({ outcome: 'succeeded', timings: { tls_ms: null } });
  expect(receiver.made).toBe(1);
});

it('connections to receivers are kept as many per origin as the limit says, and no more', async () => {
  const receiver = await listen(ok);
  const send = start({ limits: { maxIdlePerOrigin: 3 } });
  await Promise.all(Array.from({ length: 20 }, () => send(receiver.url)));
  await eventually(() => expect(receiver.open.size).toBe(3));
});

it('connections to receivers are kept as many in all as the limit says, the longest idle one going first', async () => {
  const receivers = await Promise.all(Array.from({ length: 4 }, () => listen(ok)));
  const send = start({ limits: { maxIdle: 3 } });
  for (const { url } of receivers) await send(url);
  await eventually(() => expect(receivers.map(({ open }) => open.size)).toEqual([0, 1, 1, 1]));
});

it('connections to receivers that are idle are closed after their time', async () => {
  const receiver = await listen(ok);
  await start({ limits: { maxIdleMs: 100 } })(receiver.url);
  expect(receiver.made).toBe(1);
  await eventually(() => expect(receiver.open.size).toBe(0));
});

it('connections to receivers take no request after their life has ended, so that a name that moves is followed', async () => {
  await using names = await startNameServer('moving.test');
  const before = await listen(ok);
  const port = Number(new URL(before.url).port);
  const after = await listen(ok, { address: '127.0.0.2', port });
  const send = start({ nameServers: [names.server], limits: { maxLifeMs: 500 } });
  await send(`http://moving.test:${port}`);
  names.names.set('moving.test', { A: ['127.0.0.2'], AAAA: [] });
  // The connection is busy all the time, so only its age ends it.
  await eventually(async () => {
    await send(`http://moving.test:${port}`);
    expect(after.made).toBe(1);
  });
  expect(before.made).toBe(1);
  await eventually(() => expect(before.open.size).toBe(0));
});

it('connections to receivers are not used in the last second that the receiver keeps them', async () => {
  const receiver = await listen((_request, response) => {
    response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=1' }).end('ok');
  });
  const send = start();
  await send(receiver.url);
  await send(receiver.url);
  expect(receiver.made).toBe(2);
  await eventually(() => expect(receiver.open.size).toBe(0));
});

it('connections to an endpoint that hangs end with their attempts', async () => {
  const receiver = await listen(() => undefined);
  const send = start({ timeoutMs: 200 });
  const results = await Promise.all(Array.from({ length: 5 }, () => send(receiver.url)));
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['timeout']));
  await eventually(() => expect([receiver.made, receiver.open.size]).toEqual([5, 0]));
});

it('a connection whose answer does not end is not used again', async () => {
  const receiver = await listen((_request, response) => {
    response.writeHead(200).write('so far');
  });
  const send = start();
  await send(receiver.url);
  await send(receiver.url);
  expect(receiver.made).toBe(2);
  await eventually(() => expect(receiver.open.size).toBe(0));
});

it('a connection on which an answer without a request came is not used again', async () => {
  const receiver = await listen(({ socket }, response) => {
    response.end('ok');
    if (receiver.made === 1) socket.write('HTTP/1.1 500 Injected\r\ncontent-length: 0\r\n\r\n');
  });
  const send = start();
  await send(receiver.url);
  await eventually(() => expect(receiver.open.size).toBe(0));
  expect(await send(receiver.url)).toMatchObject({ outcome: 'succeeded' });
  expect(receiver.made).toBe(2);
});

/** Answers the first request of each connection. `then` handles the second one. */
const closing = (then: (socket: Socket) => void) => {
  const served = new WeakSet<Socket>();
  const ids: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    ids.push(request.headers['webhook-id']?.toString());
    if (served.has(request.socket)) return then(request.socket);
    served.add(request.socket);
    response.end('ok');
  };
  return { listener, ids };
};

it.each([
  ['closed', (socket: Socket) => socket.destroy()],
  ['reset', (socket: Socket) => socket.resetAndDestroy()],
])(
  'a kept connection that is %s as it is used costs no attempt: the request is repeated once on a new connection',
  async (_how, then) => {
    const { listener, ids } = closing(then);
    const receiver = await listen(listener);
    const send = start();
    await send(receiver.url);
    const second = await send(receiver.url);
    expect(second).toMatchObject({ outcome: 'succeeded', timings: { connect_ms: expect.any(Number) } });
    expect(ids).toEqual(['evt_1', 'evt_1', 'evt_1']);
    expect(receiver.made).toBe(2);
  },
);

it('a kept connection that is closed after bytes of an answer came is a failed attempt', async () => {
  const { listener, ids } = closing((socket) => socket.end('HTTP/1.1 20'));
  const receiver = await listen(listener);
  const send = start();
  await send(receiver.url);
  expect(await send(receiver.url)).toMatchObject({ outcome: 'connection' });
  expect(ids).toHaveLength(2);
});

it('a request whose kept connection and new connection are both closed is a failed attempt', async () => {
  let requests = 0;
  const receiver = await listen((request, response) => {
    if (++requests === 1) response.end('ok');
    else request.socket.destroy();
  });
  const send = start();
  await send(receiver.url);
  expect(await send(receiver.url)).toMatchObject({
    outcome: 'connection',
    error: 'The connection was closed before an answer came (ECONNRESET)',
  });
  expect(requests).toBe(3);
});

it('a request that is repeated on a new connection has only the time that is left of its attempt', async () => {
  const timeoutMs = 3_000;
  let requests = 0;
  // The kept connection is closed late, and the new one hangs.
  const receiver = await listen((request, response) => {
    requests += 1;
    if (requests === 1) response.end('ok');
    else if (requests === 2) setTimeout(() => request.socket.destroy(), 1_000);
  });
  const hanging = await listen(() => undefined);
  const send = start({ timeoutMs });
  await send(receiver.url);
  const ended: string[] = [];
  await Promise.all([
    send(receiver.url).then(({ outcome }) => ended.push(`repeated: ${outcome}`)),
    // It begins at the same time, and ends before a repeated request that has all of its time again.
    start({ timeoutMs: timeoutMs + 500 })(hanging.url).then(({ outcome }) =>
      ended.push(`longer: ${outcome}`),
    ),
  ]);
  expect(ended).toEqual(['repeated: timeout', 'longer: timeout']);
  expect(requests).toBe(3);
});

it('a retry of a delivery goes over a connection of its own, and is one request even if the receiver closes it', async () => {
  const attempts: unknown[] = [];
  const receiver = await listen(({ headers, socket }, response) => {
    attempts.push(headers['webhook-attempt']);
    if (attempts.length === 1) response.end('ok');
    else socket.destroy();
  });
  const send = start();
  await send(receiver.url);
  expect(await send(receiver.url, 1)).toMatchObject({ outcome: 'connection' });
  expect(attempts).toEqual(['1', '2']);
});

it('a connection that was never used is not repeated when the receiver closes it', async () => {
  let requests = 0;
  const receiver = await listen((request) => {
    requests += 1;
    request.socket.destroy();
  });
  expect(await start()(receiver.url)).toMatchObject({ outcome: 'connection' });
  expect(requests).toBe(1);
});
