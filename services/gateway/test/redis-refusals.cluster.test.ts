import { randomBytes } from 'node:crypto';
import type { Engines } from '@sigcast/local';
import { checkMasters, connectRedis, type RedisSettings } from '@sigcast/redis';
import { createLogger } from '@sigcast/runtime';
import { type Certificate, eventually, type TestAuthority, testAuthority } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownEngines, start } from './redis-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scope = new AsyncDisposableStack();
const password = randomBytes(12).toString('hex');
const wrong = 'wrong-password-of-this-test';
let engines: Engines;
let authority: TestAuthority;
let certificate: Certificate;
/** Ports for TLS of a server alone, and of a cluster. */
let alone: number;
let clustered: number[];

beforeAll(async () => {
  engines = await ownEngines(scope);
  authority = await testAuthority();
  certificate = await authority.issue('127.0.0.1', 'localhost');
  const names = ['one', 'two', 'three'];
  const ports = await engines.ports([
    'alone',
    'alone-tls',
    ...names.flatMap((name) => [name, `${name}-tls`, `${name}-bus`]),
  ]);
  const files = { 'ca.pem': authority.ca, 'cert.pem': certificate.cert, 'key.pem': certificate.key };
  const tls = (name: string) => (dir: string) => [
    ...[
      '--tls-port',
      `${ports[`${name}-tls`]}`,
      '--tls-ca-cert-file',
      `${dir}/ca.pem`,
      '--tls-auth-clients',
      'no',
    ],
    ...['--tls-cert-file', `${dir}/cert.pem`, '--tls-key-file', `${dir}/key.pem`, '--requirepass', password],
    ...(name === 'alone' ? [] : ['--cluster-enabled', 'yes', '--cluster-port', `${ports[`${name}-bus`]}`]),
  ];
  const [first] = await Promise.all(
    [...names, 'alone'].map((name) =>
      start(scope, engines.redisNode({ name, port: ports[name] ?? 0, files, args: tls(name) })),
    ),
  );
  const addresses = names.map((name) => `127.0.0.1:${ports[name]}`);
  await first?.cli('-a', password, '--no-auth-warning', '--cluster', 'create', ...addresses, '--cluster-yes');
  alone = ports['alone-tls'] ?? 0;
  clustered = names.map((name) => ports[`${name}-tls`] ?? 0);
});
afterAll(() => scope.disposeAsync());

/** A client and what it logs. */
function client(own: AsyncDisposableStack, settings: Omit<RedisSettings, 'keyPrefix'>) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'test', level: 'trace', destination });
  const redis = connectRedis({ ca: authority.ca, ...settings, keyPrefix: '', timeoutMs: 1_500 }, log, own);
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  redis.on('error', count);
  redis.on('node error', count);
  return {
    redis,
    said: () => lines.map((line) => JSON.parse(line) as { level: string; msg: string; reason?: string }),
    /** Resolves when so many more attempts have failed. */
    attempts: async (wanted: number) => {
      failures = 0;
      await eventually(() => expect(failures).toBeGreaterThanOrEqual(wanted));
    },
    text: () => lines.join(''),
  };
}

const single = (secret = password, scheme = 'rediss') => `${scheme}://:${secret}@127.0.0.1:${alone}`;
const cluster = (secret = password, scheme = 'rediss-cluster') =>
  `${scheme}://:${secret}@${clustered.map((port) => `127.0.0.1:${port}`).join(',')}`;

describe.each([
  ['a server', () => single(), () => single(wrong)],
  ['a cluster', () => cluster(), () => cluster(wrong)],
])('%s with TLS', (_, url, urlWithWrongPassword) => {
  it('is used when its certificate is by the given authority', async () => {
    await using own = new AsyncDisposableStack();
    const { redis, text } = client(own, { url: url() });
    await eventually(() => checkMasters(redis));
    for (let key = 0; key < 20; key += 1) expect(await redis.set(`key:${key}`, key)).toBe('OK');
    expect(text()).not.toContain(password);
  });

  it('is refused when its certificate is by another authority, and the log says so a few times at most', async () => {
    await using own = new AsyncDisposableStack();
    const other = await testAuthority();
    const { redis, attempts, said, text } = client(own, { url: url(), ca: other.ca });
    await attempts(8);
    await expect(checkMasters(redis)).rejects.toThrow();
    const reasons = said().map(({ level, reason }) => ({ level, reason }));
    expect(reasons).toContainEqual({ level: 'warn', reason: expect.stringMatching(/certificate/) });
    expect(said().length).toBeLessThanOrEqual(4); // at most once a node, and for the cluster
    expect(text()).not.toContain('connected');
  });

  it('that refuses our password is logged as an error a few times at most, without the password, and is not in use', async () => {
    await using own = new AsyncDisposableStack();
    const { redis, attempts, said, text } = client(own, { url: urlWithWrongPassword() });
    await attempts(8);
    await expect(checkMasters(redis)).rejects.toThrow();
    const errors = said().filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThanOrEqual(1);
    expect(errors.length).toBeLessThanOrEqual(4);
    expect(errors[0]).toMatchObject({ msg: 'redis: the user or password is refused' });
    expect(text()).not.toContain(wrong);
  });

  it('that requires a password and got none is logged as an error a few times at most', async () => {
    await using own = new AsyncDisposableStack();
    const { attempts, said } = client(own, { url: url().replace(`:${password}@`, '') });
    await attempts(8);
    const errors = said().filter(({ level }) => level === 'error');
    expect(errors[0]).toMatchObject({ msg: 'redis: the user or password is refused' });
    expect(errors.length).toBeLessThanOrEqual(4);
  });
});

it('a node of a cluster with a redis:// URL is logged once as an error, and is not in use', async () => {
  await using own = new AsyncDisposableStack();
  const url = `rediss://:${password}@127.0.0.1:${clustered[0]}`;
  const { redis, said } = client(own, { url });
  await eventually(() => expect(said().some(({ level }) => level === 'error')).toBe(true));
  await expect(checkMasters(redis)).rejects.toThrow(/CROSSSLOT/);
  let connections = 0;
  redis.on('ready', () => {
    connections += 1;
    if (connections < 3) setTimeout(() => redis.disconnect(true), 50); // once it has been looked at
  });
  redis.disconnect(true);
  await eventually(() => expect(connections).toBe(3));
  const errors = said().filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(1);
  expect(errors[0]?.msg).toContain('must begin with redis-cluster://');
});

it('a single server with a redis-cluster:// URL is logged as an error, and is not in use', async () => {
  await using own = new AsyncDisposableStack();
  const { redis, attempts, said } = client(own, { url: single(password, 'rediss-cluster') });
  await attempts(8);
  await expect(checkMasters(redis)).rejects.toThrow();
  const errors = said().filter(({ level }) => level === 'error');
  expect(errors[0]?.msg).toBe(
    'redis: the server is not a node of a cluster: REDIS_URL must begin with redis:// (rediss://)',
  );
  expect(errors.length).toBeLessThanOrEqual(2);
});
