import { randomBytes } from 'node:crypto';
import type { BackingService, Engines, RedisNode } from '@sigcast/local';
import { checkMasters, connectRedis } from '@sigcast/redis';
import { createLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nodeTimeoutMs, ownEngines, start } from './redis-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scope = new AsyncDisposableStack();
const password = randomBytes(12).toString('hex');
const sentinelPassword = randomBytes(12).toString('hex');
const sentinels: RedisNode[] = [];
let engines: Engines;
let ports: Record<string, number>;
let master: BackingService;
let replica: RedisNode;

beforeAll(async () => {
  engines = await ownEngines(scope);
  ports = await engines.ports(['one', 'two', 's1', 's2', 's3']);
  const credentials = ['--requirepass', password, '--masterauth', password];
  const args = (more: readonly string[]) => () => [
    ...credentials,
    '--repl-diskless-sync-delay',
    '0',
    ...more,
  ];
  master = await start(scope, engines.redisNode({ name: 'one', port: ports.one ?? 0, args: args([]) }));
  const following = args(['--replicaof', '127.0.0.1', `${ports.one}`]);
  replica = await start(scope, engines.redisNode({ name: 'two', port: ports.two ?? 0, args: following }));
  for (const name of ['s1', 's2', 's3']) {
    const configuration = [
      `sentinel monitor main 127.0.0.1 ${ports.one} 2`,
      `sentinel auth-pass main ${password}`,
      `sentinel down-after-milliseconds main ${nodeTimeoutMs}`,
      `requirepass ${sentinelPassword}`,
    ];
    const sentinel = engines.redisNode({
      name,
      port: ports[name] ?? 0,
      configuration,
      args: () => ['--sentinel'],
    });
    sentinels.push(await start(scope, sentinel));
  }
  await eventually(async () => {
    expect(await replica.cli('-a', password, '--no-auth-warning', 'role')).toContain('connected');
    for (const sentinel of sentinels) {
      const known = await sentinel.cli(
        '-a',
        sentinelPassword,
        '--no-auth-warning',
        'sentinel',
        'ckquorum',
        'main',
      );
      expect(known).toContain('OK 3 usable Sentinels');
    }
  });
});
afterAll(() => scope.disposeAsync());

/** A client that finds its master by Sentinels, and what it logs. */
function client(own: AsyncDisposableStack, settings: { sentinelPassword: string }) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'test', level: 'trace', destination });
  const url = `redis-sentinel://:${password}@127.0.0.1:${ports.s1},127.0.0.1:${ports.s2},127.0.0.1:${ports.s3}/main`;
  return { redis: connectRedis({ url, keyPrefix: '', ...settings }, log, own), lines };
}

it('a wrong password of the Sentinels is logged once, without the password', async () => {
  await using own = new AsyncDisposableStack();
  const { redis, lines } = client(own, { sentinelPassword: 'wrong-sentinel-password' });
  let refusals = 0;
  redis.on('sentinelError', () => {
    refusals += 1;
  });
  await eventually(() => expect(refusals).toBeGreaterThanOrEqual(9));
  await expect(checkMasters(redis)).rejects.toThrow();
  const errors = lines
    .map((line) => JSON.parse(line) as { level: string; server: string; msg: string })
    .filter(({ level }) => level === 'error');
  expect(errors.map(({ server, msg }) => `${server} ${msg}`)).toEqual([
    'main (Sentinel) redis: the user or password is refused',
    'main redis: the user or password is refused', // that no Sentinel is left
  ]);
  expect(lines.join('')).not.toContain('wrong-sentinel-password');
});

it('the client follows when the master is killed and Sentinels promote its replica', async () => {
  await using own = new AsyncDisposableStack();
  const { redis, lines } = client(own, { sentinelPassword });
  await eventually(() => redis.set('before', '1'));
  await eventually(async () => {
    expect(await replica.cli('-a', password, '--no-auth-warning', 'get', 'before')).toContain('1');
  });
  await master.kill();
  await eventually(() => expect(redis.status).not.toBe('ready'));
  const startedAt = performance.now();
  await expect(redis.get('before')).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  await eventually(() => checkMasters(redis), { timeoutMs: 60_000 });
  expect(await redis.get('before')).toBe('1');
  // The master that comes back is now a replica, and the client does not use it.
  await master.start();
  await eventually(() => checkMasters(redis));
  expect(await redis.set('after', '1')).toBe('OK');
  expect(lines.join('')).not.toContain(password);
  expect(lines.join('')).not.toContain(sentinelPassword);
});
