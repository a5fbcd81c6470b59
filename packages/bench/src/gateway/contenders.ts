import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BackingServices } from '@sigcast/local';
import { eventually, type ServiceProcess, spawnService, testKeyPair } from '@sigcast/testing';

/** A server under measurement and how to ask it. */
export type Contender = {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const gatewayMain = `${root}services/gateway/src/main.ts`;
const gatewayOperator = `${root}services/gateway/src/operator.ts`;

/** The API path that all of them pass on. */
const path = '/v1/signals/sig_01KA9QDR7C9X2Y5W8V1T3S6R4P';

/** Starts a process and waits until it answers. */
export async function start(
  scope: AsyncDisposableStack,
  entry: string,
  env: Readonly<Record<string, string>>,
): Promise<{ origin: string; process: ServiceProcess }> {
  const port = await freePort();
  const process = scope.use(spawnService(entry, { ...env, PORT: String(port) }));
  const origin = `http://127.0.0.1:${port}`;
  let ended = false;
  void process.exited.then(() => {
    ended = true;
  });
  await eventually(async () => {
    if (!ended) await fetch(origin).then((answer) => answer.arrayBuffer());
  });
  if (ended) throw new Error(`${entry} ended:\n${process.output()}`);
  return { origin, process };
}

/** All contenders, running, in the order they are measured. */
export async function startContenders(scope: AsyncDisposableStack, backing: BackingServices) {
  const own = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const upstream = await start(scope, own('upstream.ts'), {});
  const stores = { REDIS_URL: backing.redisUrl, MONGODB_URI: backing.mongodbUri };
  const key = 'sk_assembled_key_that_is_as_long_as_one_of_ours_would_be_0123456789';
  const bare = await start(scope, own('bare.ts'), { UPSTREAM: upstream.origin });
  const assembled = await start(scope, own('assembled.ts'), {
    ...stores,
    UPSTREAM: upstream.origin,
    KEY: key,
  });
  const gatewayStores = { ...stores, MONGODB_DATABASE: 'bench_gateway' };
  const gateway = await start(scope, gatewayMain, {
    ...gatewayStores,
    IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
    SIGNALS_URL: upstream.origin,
    STATS_URL: upstream.origin,
    WEBHOOKS_URL: upstream.origin,
    LOG_LEVEL: 'info',
    TRUST_PROXY: 'true',
  });
  const operate = operator(gatewayStores);
  await operate('plan', 'set', 'bench', '--per-minute', '100000000', '--per-day', '1000000000');
  await operate('plan', 'set', 'tiny', '--per-minute', '1', '--per-day', '1000000000');
  const plentiful = await makeKey(operate, 'bench');
  const exhausted = await makeKey(operate, 'tiny');
  const contender = (name: string, at: { origin: string; process: ServiceProcess }, bearer?: string) => ({
    name,
    url: at.origin + path,
    headers: { Accept: 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) },
    pid: at.process.pid,
  });
  return {
    direct: contender('service called directly', upstream),
    bare: contender('(a) Express + undici, nothing else', bare),
    assembled: contender('(b) assembled from parts', assembled, key),
    gateway: contender('(c) this gateway', gateway, plentiful),
    limited: contender('(c) refusing: over the limit', gateway, exhausted),
    badKey: contender('(c) refusing: mistyped key', gateway, `${plentiful.slice(0, -1)}-`),
  };
}

type Operate = (...args: string[]) => Promise<Record<string, unknown>>;

function operator(env: Readonly<Record<string, string>>): Operate {
  return async (...args) => {
    const { stdout } = await promisify(execFile)(process.execPath, [gatewayOperator, ...args, '--json'], {
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
}

async function makeKey(operate: Operate, plan: string): Promise<string> {
  const email = `${plan}@bench.example`;
  await operate('account', 'create', '--email', email, '--plan', plan, '--if-missing');
  const made = await operate('key', 'create', '--account', email, '--name', 'bench');
  const text = Object.values(made).find((value) => typeof value === 'string' && value.startsWith('sk_'));
  if (typeof text !== 'string') throw new Error(`no key was made: ${JSON.stringify(made)}`);
  return text;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
