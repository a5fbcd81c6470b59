import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { ask, okAnswer, type ScriptedUpstream, startUpstream, World } from './harness.ts';

/** An address that refuses connections: nobody listens there, and nobody else can. */
const deadAddress = '127.0.0.3';

let world: World;
let one: ScriptedUpstream;
let two: ScriptedUpstream;
let port: number;
/** What the services' name stands for. */
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
/** Asks with `method` as often as said, one after the other. */
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

  it('fail no request of any method when one of them is gone, and use it again when it is back', async () => {
    // A gateway for each method, so that each finds out by itself.
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

  it('get a POST once that one of them cut off: it may have happened', async () => {
    two.answer = cut;
    expect((await statuses(await gatewayTo(url()), 'POST', 4)).sort()).toEqual([200, 200, 503, 503]);
    expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
  });

  it('get a GET once of which a byte was answered', async () => {
    const half = (req: IncomingMessage) => void req.socket.end('HTTP/1.1 200 OK\r\nContent-Ty');
    one.answer = half;
    two.answer = half;
    expect(await statuses(await gatewayTo(url()), 'GET', 1)).toEqual([503]);
    expect(one.requests.length + two.requests.length).toBe(1);
  });

  it('leave all but a request a second to the other when one says that it closes its connections', async () => {
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

describe('a lone address', () => {
  it('gets a GET twice that it cuts off, and no more often', async () => {
    one.answer = cut;
    expect(await statuses(await gatewayTo(one.url), 'GET', 1)).toEqual([503]);
    expect(one.requests).toHaveLength(2);
  });

  it('is asked again for a while when it refuses connections', async () => {
    const gateway = await gatewayTo(one.url);
    expect(await statuses(gateway, 'POST', 1)).toEqual([200]);
    await one.close();
    const refused = await ask(gateway, '/v1/webhooks', { key, method: 'POST', body: '{}' });
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    one = await startUpstream(port);
    expect(await statuses(gateway, 'POST', 1)).toEqual([200]);
  });
});

describe('a name', () => {
  it('is looked up again when nobody takes connections where it led, and the request goes there', async () => {
    addresses = [deadAddress];
    const gateway = await gatewayTo(`http://service.test:${port}`);
    addresses = ['127.0.0.1'];
    expect(await statuses(gateway, 'PATCH', 1)).toEqual([200]);
    expect(one.requests).toHaveLength(1);
  });

  it('is looked up again after a second: a new replica is used, one that is not in it any more is not', async () => {
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

  it('is what the service gets as Host, with its port', async () => {
    await statuses(await gatewayTo(`http://service.test:${port}`), 'GET', 1);
    expect([...one.requests, ...two.requests].map(({ headers }) => headers.host)).toEqual([
      `service.test:${port}`,
    ]);
  });

  it('that stands for nothing is 503 with Retry-After', async () => {
    const answer = await ask(await gatewayTo('http://nothing.test'), '/v1/signals', { key });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
