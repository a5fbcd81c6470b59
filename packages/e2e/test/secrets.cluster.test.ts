import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackingService, openEngines, processNames, type System, startSystem } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newSignal } from './system.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const scope = new AsyncDisposableStack();
const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-secrets-'));
const logsDir = join(dataDir, 'system', 'logs');
/** Texts that must never be in a log, by their descriptions. */
const secrets = new Map<string, string>();
const secret = (what: string, text = randomBytes(15).toString('hex')) => {
  if (text.length < 12) throw new Error(`${what} is too short to look for`);
  secrets.set(what, text);
  return text;
};
const stores: Record<'mongo' | 'redis' | 'rabbitmq', BackingService> = {} as never;
let system: System;

beforeAll(async () => {
  scope.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const engines = await openEngines({ dataDir: join(dataDir, 'engines'), report });
  const ports = await engines.ports(['mongodb', 'postgres', 'redis', 'amqp', 'distribution', 'epmd']);
  const redisPassword = secret("Redis' password");
  const brokerPassword = secret("the broker's password");
  stores.mongo = engines.documentdb(ports);
  stores.redis = engines.redisNode({
    name: 'redis',
    port: ports.redis,
    args: () => ['--requirepass', redisPassword],
  });
  stores.rabbitmq = engines.rabbitmqNode({
    name: 'rabbitmq',
    ports,
    configuration: () => ['default_user = sigcast', `default_pass = ${brokerPassword}`],
  });
  for (const store of Object.values(stores)) scope.defer(() => store.kill());
  await Promise.all(Object.values(stores).map((store) => store.start()));
  const addresses = {
    mongodbUri: stores.mongo.url,
    redisUrl: `redis://:${redisPassword}@127.0.0.1:${ports.redis}`,
    amqpUrl: `amqp://sigcast:${brokerPassword}@127.0.0.1:${ports.amqp}`,
  };
  system = scope.use(
    await startSystem({
      stores: { ...addresses, namespace: 'secrets' },
      dataDir: join(dataDir, 'system'),
      overrides: { LOG_LEVEL: 'trace' },
      report: () => undefined,
    }),
  );
});
afterAll(() => scope.disposeAsync());

/** The base64 text of a PEM file. */
const pemBody = (file: string) => readFileSync(file, 'utf8').split('\n').slice(1, -2).join('');

/** @throws when a text holds one of the secrets, a token or a private key. */
function requireNoSecrets(where: string, text: string): void {
  expect(text.length).toBeGreaterThan(0);
  for (const [what, itself] of secrets) {
    if (text.includes(itself) || text.includes(encodeURIComponent(itself))) {
      const line = text.split('\n').find((candidate) => candidate.includes(itself)) ?? '';
      throw new Error(`${what} is in the log of ${where}: ${line.slice(0, 2_000)}`);
    }
  }
  // Tokens that processes make for each other are JWTs, which begin with a JSON header in base64.
  expect(text).not.toMatch(/eyJ[\w-]{10,}\.eyJ/);
  expect(text).not.toContain('PRIVATE KEY');
}

it('no log of any process holds a secret at level trace, with valid and invalid requests and outages of every store', async () => {
  const keysDir = join(dataDir, 'system', 'keys');
  for (const file of readdirSync(keysDir).filter((name) => name.includes('private'))) {
    secret(file, pemBody(join(keysDir, file)).slice(0, 40));
  }
  const password = secret("an account's password");
  const passwordFile = join(dataDir, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  await system.operator('account', 'create', '--email', 'a@sigcast.test', '--password-file', passwordFile);
  const { key } = await system.operator<{ key: string }>(
    ...['key', 'create', '--account', 'a@sigcast.test', '--name', 'test'],
  );
  const { token } = await system.operator<{ token: string }>(
    ...['token', 'create', '--subject', 'test', '--scope', 'signals:write'],
  );
  secret('an API key', key);
  secret("a producer's token", token);

  const send = async (url: string, method: string, body?: unknown, bearer = key) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: text }) });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const api = (path: string, method = 'GET', body?: unknown, bearer?: string) =>
    send(`${system.gatewayUrl}${path}`, method, body, bearer);
  const ingest = (bearer = token) =>
    send(`${system.signalsUrl}/internal/v1/signals`, 'POST', newSignal(), bearer);

  const made = await api('/v1/webhooks', 'POST', {
    url: 'http://127.0.0.1:8443/hook',
    events: ['signal.new'],
  });
  expect(made.status).toBe(201);
  secret("a webhook's secret", (JSON.parse(made.body) as { data: { secret: string } }).data.secret);

  const everything = async () => {
    const wrong = secret(`a wrong password ${secrets.size}`);
    const credentials = { email: 'a@sigcast.test', password };
    const signedIn = await api('/account/session', 'POST', credentials, '');
    const access = /"access_token":"([^"]+)"/.exec(signedIn.body)?.[1];
    if (access !== undefined) secret(`an access token ${secrets.size}`, access);
    const cookie = /=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1];
    if (cookie !== undefined) secret(`a cookie ${secrets.size}`, cookie.split('.').at(-1));
    await Promise.all([
      ingest(),
      ingest(`${token}x`),
      api('/v1/signals'),
      api(`/v1/signals?limit=${key}`),
      api(`/v1/signals/${key}`),
      api('/v1/stats'),
      api('/v1/webhooks'),
      api('/v1/signals', 'GET', undefined, `${key}x`),
      api('/v1/webhooks', 'POST', { url: `https://user:${wrong}@example.test/`, events: ['signal.new'] }),
      api('/v1/webhooks', 'POST', `{"url": "${wrong}`),
      api('/account/session', 'POST', { ...credentials, password: wrong }, ''),
      api('/account/session', 'POST', `{"password":"${password}"`, ''),
      ...(access === undefined ? [] : [api('/account/keys', 'GET', undefined, access)]),
    ]);
    return signedIn.status;
  };

  expect([200, 201]).toContain(await everything());
  for (const store of Object.values(stores)) {
    await store.kill();
    await everything();
    await store.start();
    await eventually(
      async () => {
        expect((await ingest()).status).toBe(201);
        expect((await api('/v1/stats')).status).toBe(200);
        expect((await api('/v1/signals')).headers.get('x-ratelimit-degraded')).toBeNull();
      },
      { timeoutMs: 60_000 },
    );
  }
  await everything();
  // By now the worker has logged failed deliveries.
  await eventually(async () => expect((await api('/v1/webhooks')).status).toBe(200));
  await system.stop();

  const logs = readdirSync(logsDir);
  expect(logs).toEqual(processNames.map((name) => `${name}.log`).sort());
  for (const log of logs) {
    const text = readFileSync(join(logsDir, log), 'utf8');
    expect(text).toMatch(/"level":"(warn|error)"/);
    requireNoSecrets(log, text);
  }
});
