import { once } from 'node:events';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { head, RawConnection, readFailure } from './raw-connection.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

/** The head of a request with a body of `length` bytes. */
function post(key: string, length: number): string {
  return head(
    'POST /v1/webhooks HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    `X-Forwarded-For: ${freshAddress()}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  );
}

describe('a request whose body arrives slowly', () => {
  it('is not sent to the service before its body is complete, so that many of them do not delay other requests', async () => {
    const gateway = await world.gateway({ env: { OPEN_REQUESTS_PER_ACCOUNT: '1000' } });
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    // More than there are connections to a service.
    const slow = Array.from({ length: 600 }, () => new RawConnection(gateway).send(`${post(key, 90)}{`));
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

  it('is 408 with envelope, rate limits and a closed connection when the body takes too long', async () => {
    const gateway = await world.gateway({ env: { BODY_TIMEOUT_MS: '200' } });
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const answer = await new RawConnection(gateway).send(`${post(key, 90)}{`).closed;
    expect(readFailure(answer)).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toMatch(/^x-ratelimit-remaining: /im);
    expect(world.upstream.requests).toHaveLength(before);
  });

  it('is refused before its body arrives, by address where it has no key, and its connection is closed', async () => {
    const gateway = await world.gateway();
    const address = freshAddress();
    const signIn = () =>
      new RawConnection(gateway).send(
        head(
          'POST /account/session HTTP/1.1',
          'Host: x',
          `X-Forwarded-For: ${address}`,
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
        ),
      );
    const waiting = Array.from({ length: 60 }, signIn);
    const answer = await Promise.race(waiting.map(({ closed }) => closed));
    expect(readFailure(answer)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(answer).toMatch(/^connection: close\r$/im);
    for (const { socket } of waiting) socket.destroy();
  });

  it('is dropped when its client closes its half of the connection', async () => {
    const gateway = await world.gateway();
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const client = new RawConnection(gateway).send(`${post(key, 90)}{`);
    client.socket.end();
    await client.closed;
    expect(world.upstream.requests).toHaveLength(before);
  });
});

describe('open requests', () => {
  it.each([
    ['account', 'OPEN_REQUESTS_PER_ACCOUNT'],
    ['client address', 'OPEN_REQUESTS_PER_ADDRESS'],
  ])(
    'of one %s are bounded with 429; others are answered, and a request that ends makes room',
    async (whose, setting) => {
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
    },
  );

  it('of a client that went away are not counted any more', async () => {
    const gateway = await world.gateway({ env: { OPEN_REQUESTS_PER_ACCOUNT: '2' } });
    const { key } = await world.customer();
    const slow = [0, 1].map(() => new RawConnection(gateway).send(`${post(key, 90)}{`));
    // Before that, the next request would be admitted in place of the second one.
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
  it('are bounded without TRUST_PROXY: one more is closed, and one that ends makes room', async () => {
    const gateway = await world.gateway({ env: { TRUST_PROXY: 'false', CONNECTIONS_PER_ADDRESS: '3' } });
    const idle = Array.from({ length: 3 }, () => new RawConnection(gateway));
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
    const request = 'HEAD /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    await eventually(async () => expect(await new RawConnection(gateway).send(request).closed).toBe(''));
    idle[0]?.socket.destroy();
    await eventually(async () => {
      expect(await new RawConnection(gateway).send(request).closed).toMatch(/^HTTP\/1\.1 200 /);
    });
    for (const { socket } of idle) socket.destroy();
  });
});

describe('a request head that arrives slowly', () => {
  it('is 408 with the envelope and a closed connection, also on a connection that was used before', async () => {
    const gateway = await world.gateway();
    const fresh = new RawConnection(gateway).send('GET /v1/signals HTTP/1.1\r\nHost: x\r\n');
    const used = new RawConnection(gateway).send('HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(used.received).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/s));
    const before = used.received.length;
    used.send('GET /v1/signals HTTP/1.1\r\nHost: x\r\n');
    // More bytes do not prolong the deadline.
    const drip = setInterval(() => {
      fresh.send('X-More: 1\r\n');
    }, 500);
    const answers = await Promise.all([fresh.closed, used.closed.then((text) => text.slice(before))]);
    clearInterval(drip);
    for (const answer of answers) {
      expect(readFailure(answer)).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    }
  }, 30_000);
});

describe('garbage after a request', () => {
  it('does not change the answer to the request, which is the last one on its connection', async () => {
    const gateway = await world.gateway();
    const { key } = await world.customer();
    const before = world.upstream.requests.length;
    const text = await new RawConnection(gateway).send(`${post(key, 2)}{}\x00\x01garbage\r\n\r\n`).closed;
    expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200']);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(world.upstream.requests.length - before).toBe(1);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
  });
});
