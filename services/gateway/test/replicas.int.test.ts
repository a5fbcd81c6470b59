import type { IncomingMessage } from 'node:http';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer, type ScriptedUpstream, startUpstream } from './scripted-upstream.ts';

/** An address at which nothing listens, so that it refuses connections. */
const deadAddress = '127.0.0.3';

let world: World;
let one: ScriptedUpstream;
let two: ScriptedUpstream;
let port: number;
/** What the name of the services resolves to. */
let addresses: readonly string[];
let key: string;

beforeAll(async () => {
  world = await World.start();
  ({ key } = await world.customer());
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(async () => {
  one = await startUpstream();
  port = Number(new URL(one.url).port);
  two = await startUpstream(port, '127.0.0.2');
  addresses = ['127.0.0.1', '127.0.0.2'];
});
afterEach(async () => {
  await Promise.all([one.close(), two.close()]);
});

const cut = (req: IncomingMessage) => req.socket.destroy();
const gatewayTo = (url: string) =>
  world.gateway({
    lookup: (hostname) =>
      hostname === 'service.test' ? Promise.resolve(addresses) : Promise.reject(new Error('no such name')),
    env: { SIGNALS_URL: url, WEBHOOKS_URL: url },
  });
/** Sends this many requests, one after the other. @returns their statuses. */
const statuses = async (gateway: string, method: string, times: number) => {
  const all: number[] = [];
  const written = method === 'POST' ? '/v1/webhooks' : '/v1/webhooks/wh_1';
  for (let i = 0; i < times; i += 1) {
    const [path, init] = method === 'GET' ? ['/v1/signals', {}] : [written, { body: '{}' }];
    all.push((await ask(gateway, path, { key, method, ...init })).status);
  }
  return all;
};
const methods = ['GET', 'POST', 'PATCH', 'DELETE'];
const allGood = (times: number) => Array.from({ length: times }, () => 200);

describe.each([
  ['a list of addresses', () => `${one.url}, ${two.url}`],
  ['one name for both', () => `http://service.test:${port}`],
])('two replicas behind %s', (_how, url) => {
  it('are used in turn', async () => {
    const gateway = await gatewayTo(url());
    expect(await statuses(gateway, 'GET', 6)).toEqual(allGood(6));
    expect([one.requests.length, two.requests.length]).toEqual([3, 3]);
  });

  it('fail no request of any method when one of them is gone, which is used again when it is back', async () => {
    // A gateway for each method, so that each method meets the missing replica.
    const gateways = await Promise.all(methods.map(() => gatewayTo(url())));
    const expectGood = async (times: number) => {
      const answers = methods.map((method, n) => statuses(gateways[n] ?? '', method, times));
      expect(await Promise.all(answers)).toEqual(methods.map(() => allGood(times)));
    };
    await expectGood(4);
    await two.close();
    await expectGood(6);
    two = await startUpstream(port, '127.0.0.2');
    await eventually(async () => {
      await expectGood(1);
      const used = methods.filter((each) => two.requests.filter(({ method }) => method === each).length > 1);
      expect(used).toEqual(methods);
    });
  });

  it('fail no GET when one of them cuts the connection before it answers', async () => {
    two.answer = cut;
    expect(await statuses(await gatewayTo(url()), 'GET', 6)).toEqual(allGood(6));
  });

  it('get a POST only once, also when the connection is closed before the answer', async () => {
    two.answer = cut;
    expect((await statuses(await gatewayTo(url()), 'POST', 4)).sort()).toEqual([200, 200, 503, 503]);
    expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
  });

  it('get a GET only once when a part of the answer has arrived', async () => {
    const half = (req: IncomingMessage) => void req.socket.end('HTTP/1.1 200 OK\r\nContent-Ty');
    one.answer = half;
    two.answer = half;
    expect(await statuses(await gatewayTo(url()), 'GET', 1)).toEqual([503]);
    expect(one.requests.length + two.requests.length).toBe(1);
  });

  it('leave one of them with one request a second after it answered with Connection: close', async () => {
    two.answer = (_req, res) => {
      res.shouldKeepAlive = false;
      okAnswer(_req, res);
    };
    const gateway = await gatewayTo(url());
    const startedAt = performance.now();
    expect(await statuses(gateway, 'PATCH', 30)).toEqual(allGood(30));
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(two.requests.length).toBeGreaterThanOrEqual(1);
    expect(two.requests.length).toBeLessThanOrEqual(1 + seconds);
  });
});

describe('a service with one address', () => {
  it('gets a GET twice when it closes the connection before the answer, and not again', async () => {
    one.answer = cut;
    expect(await statuses(await gatewayTo(one.url), 'GET', 1)).toEqual([503]);
    expect(one.requests).toHaveLength(2);
  });

  it('that refuses connections is tried again for 375 ms, then the answer is 503', async () => {
    const gateway = await gatewayTo(one.url);
    expect(await statuses(gateway, 'POST', 1)).toEqual([200]);
    await one.close();
    const startedAt = performance.now();
    const refused = await ask(gateway, '/v1/webhooks', { key, method: 'POST', body: '{}' });
    // Timers are exact to 1 ms, and there are four.
    expect(performance.now() - startedAt).toBeGreaterThan(375 - 4);
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    one = await startUpstream(port);
    expect(await statuses(gateway, 'POST', 1)).toEqual([200]);
  });
});

describe('the name of a service', () => {
  it('is looked up again when its address refuses connections, and the same request goes to the new address', async () => {
    addresses = [deadAddress];
    const gateway = await gatewayTo(`http://service.test:${port}`);
    addresses = ['127.0.0.1'];
    expect(await statuses(gateway, 'PATCH', 1)).toEqual([200]);
    expect(one.requests).toHaveLength(1);
  });

  it('is looked up again after a second: its new address is used, and its old one is not', async () => {
    addresses = ['127.0.0.1'];
    const gateway = await gatewayTo(`http://service.test:${port}`);
    expect(await statuses(gateway, 'GET', 2)).toEqual(allGood(2));
    addresses = ['127.0.0.2'];
    await eventually(async () => {
      await statuses(gateway, 'GET', 1);
      expect(two.requests.length).toBeGreaterThan(0);
    });
    const before = one.requests.length;
    expect(await statuses(gateway, 'GET', 3)).toEqual(allGood(3));
    expect(one.requests).toHaveLength(before);
  });

  it('is sent as Host, with the port', async () => {
    await statuses(await gatewayTo(`http://service.test:${port}`), 'GET', 1);
    expect([...one.requests, ...two.requests].map(({ headers }) => headers.host)).toEqual([
      `service.test:${port}`,
    ]);
  });

  it('that can not be resolved makes the answer 503 with Retry-After', async () => {
    const answer = await ask(await gatewayTo('http://nothing.test'), '/v1/signals', { key });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
