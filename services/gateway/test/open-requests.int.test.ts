import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { failureSchema } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { ask, freshAddress, okAnswer, World } from './harness.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

/** A connection on which bytes are sent as a test likes. */
class Client {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<string>;

  constructor(gateway: string) {
    const { hostname, port } = new URL(gateway);
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.setNoDelay();
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
    });
    this.socket.on('error', () => undefined);
    this.closed = once(this.socket, 'close').then(() => this.received);
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }
}

function post(key: string, length: number, more: readonly string[] = []): string {
  return [
    'POST /v1/webhooks HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    `X-Forwarded-For: ${freshAddress()}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n');
}

/** Status, code and headers of the only answer in what came back. */
function readAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
  const { error } = failureSchema.parse(JSON.parse(body));
  expect(head.toLowerCase()).toContain(`x-request-id: ${error.request_id}`.toLowerCase());
  return { status: Number(head.slice(9, 12)), code: error.code, head: head.toLowerCase() };
}

describe('a request whose body comes slowly', () => {
  it('asks no service until it is whole, however many there are, so that others are answered', async () => {
    const gateway = await world.gateway({ env: { OPEN_REQUESTS_PER_ACCOUNT: '1000' } });
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    // More than there are connections to a service.
    const slow = Array.from({ length: 600 }, () => new Client(gateway).send(`${post(key, 90)}{`));
    await eventually(async () => {
      expect(await world.metric(gateway, 'sigcast_gateway_admissions_total', { outcome: 'admitted' })).toBe(
        600,
      );
    });
    const { key: others } = await world.customer();
    for (let i = 0; i < 20; i += 1) {
      expect((await ask(gateway, '/v1/webhooks', { key: others })).status).toBe(200);
    }
    expect(world.upstream.requests.length - before).toBe(20);
    for (const { socket } of slow) socket.destroy();
  }, 60_000);

  it('is 408 with the envelope, the limits and a closed connection when it takes too long', async () => {
    const gateway = await world.gateway({ env: { BODY_TIMEOUT_MS: '200' } });
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const answer = readAnswer(await new Client(gateway).send(`${post(key, 90)}{`).closed);
    expect(answer).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(answer.head).toContain('connection: close');
    expect(answer.head).toContain('x-ratelimit-remaining: ');
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('is forgotten when its client goes away half-closed', async () => {
    const gateway = await world.gateway();
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const client = new Client(gateway).send(`${post(key, 90)}{`);
    client.socket.end();
    await client.closed;
    expect(world.upstream.requests).toHaveLength(before);
  });
});

describe('open requests', () => {
  it.each([
    ['account', 'OPEN_REQUESTS_PER_ACCOUNT'],
    ['client address', 'OPEN_REQUESTS_PER_ADDRESS'],
  ])('of one %s are bounded with 429; others go on, and one that ends makes room', async (whose, setting) => {
    const gateway = await world.gateway({ env: { [setting]: '3' } });
    const { key } = await world.customer();
    const { key: second } = await world.customer();
    const address = freshAddress();
    const release: (() => void)[] = [];
    world.upstream.answer = (req, res) => {
      release.push(() => okAnswer(req, res));
    };
    const asking = Array.from({ length: 3 }, () => ask(gateway, '/v1/signals', { key, address }));
    await eventually(() => expect(release).toHaveLength(3));
    world.upstream.answer = okAnswer;
    const same = whose === 'account' ? { key, address: freshAddress() } : { key: second, address };
    const refused = await ask(gateway, '/v1/signals', same);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body.error?.message).toContain(`The ${whose} has 3 requests open`);
    expect((await ask(gateway, '/v1/signals', { key: second })).status).toBe(200);
    for (const answer of release) answer();
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await eventually(async () => expect((await ask(gateway, '/v1/signals', same)).status).toBe(200));
  });

  it('of a client that went away count no more', async () => {
    const gateway = await world.gateway({ env: { OPEN_REQUESTS_PER_ACCOUNT: '2' } });
    const { key } = await world.customer();
    const slow = [0, 1].map(() => new Client(gateway).send(`${post(key, 90)}{`));
    // Asked any earlier, a request would take the second one's place, and the second one would be refused.
    await eventually(async () => {
      const admitted = await world.metric(gateway, 'sigcast_gateway_admissions_total', {
        outcome: 'admitted',
      });
      expect(admitted).toBe(2);
    });
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(429);
    for (const { socket } of slow) socket.destroy();
    await eventually(async () => expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200));
  });
});

describe('connections of one address', () => {
  it('are bounded where no proxy is trusted: one more is cut, one that ends makes room', async () => {
    const gateway = await world.gateway({ env: { TRUST_PROXY: 'false', CONNECTIONS_PER_ADDRESS: '3' } });
    const idle = Array.from({ length: 3 }, () => new Client(gateway));
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    await eventually(async () => expect(await new Client(gateway).send(request).closed).toBe(''));
    idle[0]?.socket.destroy();
    await eventually(async () => {
      expect(await new Client(gateway).send(request).closed).toMatch(/^HTTP\/1\.1 200 /);
    });
    for (const { socket } of idle) socket.destroy();
  });
});

describe('a head that comes slowly', () => {
  it('is 408 with the envelope within 11 s and a closed connection, also on a connection that was used', async () => {
    const gateway = await world.gateway();
    const startedAt = performance.now();
    const fresh = new Client(gateway).send('GET /v1/signals HTTP/1.1\r\nHost: x\r\n');
    const used = new Client(gateway).send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(used.received).toContain('{"status":"ok"}'));
    const before = used.received.length;
    used.send('GET /v1/signals HTTP/1.1\r\nHost: x\r\n');
    // Bytes that keep coming don't prolong it.
    const drip = setInterval(() => {
      fresh.send('X-More: 1\r\n');
    }, 500);
    const answers = await Promise.all([fresh.closed, used.closed.then((text) => text.slice(before))]);
    clearInterval(drip);
    for (const answer of answers) {
      expect(readAnswer(answer)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    }
    // The deadline, the look for those that missed it, and a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  }, 30_000);
});

describe('garbage behind a request', () => {
  it('does not change its answer, which is the last on its connection', async () => {
    const gateway = await world.gateway();
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const text = await new Client(gateway).send(`${post(key, 2)}{}\x00\x01garbage\r\n\r\n`).closed;
    expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200']);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(world.upstream.requests.length - before).toBe(1);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
  });
});
