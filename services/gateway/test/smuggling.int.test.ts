import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';
import { head, RawConnection } from './raw-connection.ts';

let world: World;
let gateway: string;
let key: string;

beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
  key = (await world.customer()).key;
});
afterAll(async () => world[Symbol.asyncDispose]());

/** Sends exact bytes and returns all that comes back until the connection ends. */
const send = (bytes: string) => new RawConnection(gateway).send(bytes).closed;

/** A GET request for a target. */
const get = (target: string) =>
  head(`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close');
const smuggled = 'GET /internal/v1/signals HTTP/1.1\r\nHost: inner\r\n\r\n';

describe('an ambiguous request', () => {
  it.each([
    ['length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], '0\r\n\r\nX'],
    ['chunks and length', ['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${smuggled}`],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 80'], `{}${smuggled}`],
    ['one length twice', ['Content-Length: 2', 'Content-Length: 2'], '{}'],
    ['a list of lengths', ['Content-Length: 2, 2'], '{}'],
    ['a length with a sign', ['Content-Length: +2'], '{}'],
    ['a negative length', ['Content-Length: -2'], '{}'],
    ['another coding after chunked', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n', 501],
    ['an unknown coding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n', 501],
    ['a folded header', ['X-Folded: a', ' Transfer-Encoding: chunked', 'Content-Length: 2'], '{}'],
    ['a blank before the colon', ['Content-Length : 2'], '{}'],
    ['a header without a name', [': x', 'Content-Length: 2'], '{}'],
    ['a chunk size that is none', ['Transfer-Encoding: chunked'], '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a bare line feed in chunks', ['Transfer-Encoding: chunked'], `2\n{}\n0\n\n${smuggled}`],
  ])('is refused and its connection closed: %s', async (_what, headers, body, status = 400) => {
    const before = world.upstream.requests.length;
    const start = head('POST /v1/webhooks HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...headers);
    const answer = await send(start + body);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(answer).toContain(`"code":"${status === 501 ? 'NOT_IMPLEMENTED' : 'INVALID_REQUEST'}"`);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('with a target in absolute form is routed by its path', async () => {
    expect(await send(get('http://x/v1/signals?limit=1'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(world.upstream.requests.at(-1)?.url).toBe('/v1/signals?limit=1');
    expect(await send(get('http://x/internal/v1/signals'))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
