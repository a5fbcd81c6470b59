import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BackingServices, startBackingServices } from '@sigcast/local';
import { eventually, type ServiceProcess, spawnService, testKeyPair, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const gatewayFile = (name: string) =>
  fileURLToPath(new URL(`../../../services/gateway/src/${name}`, import.meta.url));

/** Stores of this file's own, because it kills them, and a gateway in front of a service that always answers. */
const resources = new AsyncDisposableStack();
let backing: BackingServices;
let gateway: ServiceProcess;
let env: Record<string, string>;
let url: string;
let metricsUrl: string;

beforeAll(async () => {
  const stack = resources.use(testStack());
  const { amqpUrl, namespace } = stack;
  backing = await startBackingServices({
    dataDir: mkdtempSync(join(tmpdir(), 'sigcast-killed-')),
    env: { AMQP_URL: amqpUrl },
    ephemeral: true,
    report: () => undefined,
  });
  resources.defer(() => backing.stop());
  const upstream = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[]}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  resources.defer(() => {
    upstream.close();
    upstream.closeAllConnections();
  });
  const service = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  env = {
    MONGODB_URI: backing.mongodbUri,
    REDIS_URL: backing.redisUrl,
    ...{ AMQP_URL: amqpUrl, BROKER_NAMESPACE: namespace },
    IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
    SIGNALS_URL: service,
    STATS_URL: service,
    WEBHOOKS_URL: service,
    PORT: '0',
    METRICS_PORT: '0',
    // Longer than the test of it takes; a second signal ends the delay.
    SHUTDOWN_DELAY_MS: '30000',
  };
  gateway = resources.use(spawnService(gatewayFile('main.ts'), env));
  const addressIn = (pattern: RegExp) =>
    eventually(() => {
      const found = pattern.exec(gateway.output())?.[1];
      if (found === undefined) throw new Error(gateway.output());
      return found;
    });
  url = await addressIn(/"url":"([^"]+)","msg":"listening"/);
  metricsUrl = await addressIn(/"url":"([^"]+)","msg":"metrics"/);
}, 60_000);
afterAll(() => resources.disposeAsync());

async function operate(...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [gatewayFile('operator.ts'), ...args, '--json'],
    {
      env: { PATH: process.env.PATH ?? '', ...env },
    },
  );
  return JSON.parse(stdout) as Record<string, string>;
}

/** Makes an account and a key of it. */
async function makeKey(name: string): Promise<string> {
  await operate('account', 'create', '--email', `${name}@sigcast.test`);
  const { key = '' } = await operate('key', 'create', '--account', `${name}@sigcast.test`, '--name', name);
  return key;
}

async function ask(key: string) {
  const answer = await fetch(`${url}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return {
    status: answer.status,
    degraded: answer.headers.get('x-ratelimit-degraded') === '1',
    retryAfter: Number(answer.headers.get('retry-after')),
    limit: answer.headers.get('x-ratelimit-limit'),
  };
}

async function metric(line: RegExp): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(line.exec(text)?.[1] ?? Number.NaN);
}

const redisInUse = () => metric(/^sigcast_gateway_redis_in_use\{.*\} (\d)/m);

describe('a gateway whose stores are killed', () => {
  it('serves without Redis, and counts in Redis again as soon as it is back, without a restart', async () => {
    const key = await makeKey('redis');
    await eventually(async () => expect(await ask(key)).toMatchObject({ status: 200, degraded: false }));
    await backing.redis.kill();
    for (let i = 0; i < 20; i += 1) expect(await ask(key)).toMatchObject({ status: 200, degraded: true });
    expect(await redisInUse()).toBe(0);
    await backing.redis.start();
    await eventually(async () => expect(await ask(key)).toMatchObject({ status: 200, degraded: false }));
    expect(await redisInUse()).toBe(1);
  });

  it('without MongoDB serves keys that it has seen, answers 503 for others, and serves them when MongoDB is back', async () => {
    const [known, unknown] = [await makeKey('known'), await makeKey('unknown')];
    await eventually(async () => expect(await ask(known)).toMatchObject({ status: 200, degraded: false }));
    await backing.mongo.kill();
    await eventually(async () => expect(await ask(known)).toMatchObject({ status: 200, degraded: false }));
    const refused = await ask(unknown);
    expect(refused).toMatchObject({ status: 503, limit: '60' });
    expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
    expect(await metric(/^sigcast_gateway_store_failures_total\{store="mongodb".*\} (\d+)/m)).toBeGreaterThan(
      0,
    );
    const signIn = await fetch(`${url}/account/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'known@sigcast.test', password: 'whatever it is' }),
    });
    expect(signIn.status).toBe(503);
    await backing.mongo.start();
    await eventually(async () => expect((await ask(unknown)).status).toBe(200));
  });

  it('answers 503 and is not ready without both stores, and works again when they are back', async () => {
    const key = await makeKey('both');
    await eventually(async () => expect(await ask(key)).toMatchObject({ status: 200, degraded: false }));
    await Promise.all([backing.redis.kill(), backing.mongo.kill()]);
    const refused = await ask(key);
    expect(refused.status).toBe(503);
    expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
    expect((await fetch(new URL('/readyz', metricsUrl))).status).toBe(503);
    expect((await fetch(new URL('/healthz', metricsUrl))).status).toBe(200);
    await Promise.all([backing.redis.start(), backing.mongo.start()]);
    await eventually(async () => expect(await ask(key)).toMatchObject({ status: 200, degraded: false }));
  });

  it('is not ready once it is told to stop, and serves on until load balancers have noticed', async () => {
    const key = await makeKey('stopping');
    await eventually(async () => expect(await ask(key)).toMatchObject({ status: 200 }));
    void gateway.kill('SIGTERM');
    await eventually(async () => {
      const ready = await fetch(new URL('/readyz', metricsUrl));
      expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping', checks: {} }]);
    });
    expect(await ask(key)).toMatchObject({ status: 200 });
  });
});
