import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from './harness.ts';

let world: World;
let port: number;
let key: string;

beforeAll(async () => {
  world = await World.start();
  port = Number(new URL(await world.gateway()).port);
  key = (await world.customer()).key;
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Sends exact bytes and returns everything that comes back until the connection ends. */
async function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setTimeout(5_000, () => socket.destroy(new Error('the connection was left open')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const smuggled = 'GET /internal/v1/signals HTTP/1.1\r\nHost: inner\r\n\r\n';

describe('a request that could be read in two ways', () => {
  it.each([
    ['length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], '0\r\n\r\nX'],
    ['chunks and length', ['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${smuggled}`],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 80'], `{}${smuggled}`],
    ['one length twice', ['Content-Length: 2', 'Content-Length: 2'], '{}'],
    ['a list of lengths', ['Content-Length: 2, 2'], '{}'],
    ['a length with a sign', ['Content-Length: +2'], '{}'],
    ['a negative length', ['Content-Length: -2'], '{}'],
    ['another coding after chunked', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n', 501],
    ['a disguised coding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n', 501],
    ['a folded header', ['X-Folded: a', ' Transfer-Encoding: chunked', 'Content-Length: 2'], '{}'],
    ['a blank before the colon', ['Content-Length : 2'], '{}'],
    ['a header without a name', [': x', 'Content-Length: 2'], '{}'],
    ['a chunk size that is none', ['Transfer-Encoding: chunked'], '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a bare line feed in chunks', ['Transfer-Encoding: chunked'], `2\n{}\n0\n\n${smuggled}`],
  ])('is refused and the connection closed: %s', async (_what, headers, body, status = 400) => {
    const before = world.upstream.requests.length;
    const head = lines('POST /v1/webhooks HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...headers);
    const answer = await send(head + body);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(answer).toContain(`"code":"${status === 501 ? 'NOT_IMPLEMENTED' : 'INVALID_REQUEST'}"`);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('never leads inside: dot segments over a raw connection are 404', async () => {
    const before = world.upstream.requests.length;
    for (const path of [
      '/v1/../internal/v1/signals',
      '/v1/signals/..%2f..%2finternal/v1/signals',
      '/v1/signals/..;/internal',
    ]) {
      const answer = await send(
        lines(`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('takes a request target in absolute form as what it is', async () => {
    const head = (target: string) =>
      lines(`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close');
    expect(await send(head('http://x/v1/signals?limit=1'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(world.upstream.requests.at(-1)?.url).toBe('/v1/signals?limit=1');
    expect(await send(head('http://x/internal/v1/signals'))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
