import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { eventually } from '@sigcast/testing';
import { afterEach, expect, it } from 'vitest';
import { type SenderOptions, sender } from '../src/sending/sender.ts';
import { claimedFor } from './claimed.ts';
import { testSealer } from './test-sealer.ts';
import { developmentPolicy } from './test-workers.ts';

let scope = new AsyncDisposableStack();
afterEach(async () => {
  await scope.disposeAsync();
  scope = new AsyncDisposableStack();
});

/** Makes an attempt at a receiver that answers with these bytes, or as `answer` does, as soon as a request begins. */
async function answeredWith(
  answer: string | ((socket: Socket) => void),
  options: Partial<SenderOptions> = {},
) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (typeof answer === 'string' ? socket.write(answer) : answer(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made = sender({ policy: developmentPolicy, secrets: testSealer, now: Date.now, ...options });
  scope.defer(() => new Promise((resolve) => server.close(() => resolve())));
  scope.defer(() => made.close());
  return made.send(claimedFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

it.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'],
  ['a 100 and a 103', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
])('an interim answer that nobody asked for (%s) is skipped', async (_what, interim) => {
  expect(await answeredWith(interim + ok)).toMatchObject({
    outcome: 'succeeded',
    http_status: 200,
    response_body: 'ok',
  });
});

it('an interim answer that nothing follows ends in a time-out', async () => {
  const result = await answeredWith('HTTP/1.1 100 Continue\r\n\r\n', { timeoutMs: 300 });
  expect(result).toMatchObject({ outcome: 'timeout', timings: { first_byte_ms: null } });
});

it('an answer whose status line comes in time and whose headers drip past the deadline is a time-out', async () => {
  const result = await answeredWith(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    },
    { timeoutMs: 300 },
  );
  expect(result).toMatchObject({ outcome: 'timeout', http_status: null, timings: { first_byte_ms: null } });
});

it('an interim answer that never stops coming ends the attempt and its connection', async () => {
  let closed = false;
  const result = await answeredWith((socket) => {
    const flood = () => {
      while (socket.writable && socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)));
    };
    socket.on('drain', flood).on('close', () => {
      closed = true;
    });
    flood();
  });
  expect(result).toMatchObject({
    outcome: 'connection',
    error: 'More than 20 interim answers (1xx) came before the answer (TOO_MANY_INTERIM_ANSWERS)',
  });
  await eventually(() => expect(closed).toBe(true));
});

it('an interim answer that changes the protocol (101) is a failed attempt at once', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const result = await answeredWith(upgrade, { timeoutMs: 60_000 });
  expect(result).toMatchObject({ outcome: 'connection', http_status: null });
});

const now = Date.parse('2026-01-01T00:00:00Z');
const refusal = (status: string, header: string) =>
  answeredWith(`HTTP/1.1 ${status}\r\n${header}content-length: 0\r\n\r\n`, { now: () => now });

it.each([
  ['503 Service Unavailable', '120', 120_000],
  ['429 Too Many Requests', 'Thu, 01 Jan 2026 00:01:30 GMT', 90_000],
  ['404 Not Found', '1', 1_000],
  ['503 Service Unavailable', '999999999', 3_600_000],
])('the header Retry-After of a %s (%s) is part of the result', async (status, value, wanted) => {
  const result = await refusal(status, `retry-after: ${value}\r\n`);
  expect(result).toMatchObject({ outcome: 'bad_status', retryAfterMs: wanted });
});

it.each([
  ['an answer without it', '503 Service Unavailable', ''],
  ['an answer with an unreadable one', '503 Service Unavailable', 'retry-after: soon\r\n'],
  ['a success', '200 OK', 'retry-after: 120\r\n'],
])('the header Retry-After is absent from the result of %s', async (_what, status, header) => {
  expect(await refusal(status, header)).not.toHaveProperty('retryAfterMs');
});

it.each([
  ['ended', (socket: Socket) => socket.end()],
  ['reset', (socket: Socket) => setImmediate(() => socket.resetAndDestroy())],
])(
  'a successful attempt stays successful when the connection is %s before the body ends',
  async (_how, then) => {
    const result = await answeredWith((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nso far', () => then(socket));
    });
    expect(result).toMatchObject({ outcome: 'succeeded', http_status: 200 });
  },
);

it('an answer that is not HTTP is logged as such in plain words', async () => {
  expect(await answeredWith('220 mail.example.org ESMTP\r\n')).toMatchObject({
    outcome: 'connection',
    error: 'The answer is not valid HTTP (HPE_INVALID_CONSTANT)',
  });
});

it('an answer whose headers are too large is logged as such in plain words', async () => {
  const large = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`;
  expect(await answeredWith(large)).toMatchObject({
    outcome: 'connection',
    error: 'The headers of the answer are larger than 16 kB (HPE_HEADER_OVERFLOW)',
  });
});
