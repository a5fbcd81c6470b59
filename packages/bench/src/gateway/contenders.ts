import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackingServices, OperatorProcess, pickFreePort } from '@sigcast/local';
import { eventually, type ServiceProcess, spawnService, startCollector, testKeyPair } from '@sigcast/testing';

/** A server under measurement and how to ask it. */
export type Contender = {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const own = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const gatewayPath = 'services/gateway/src/main.ts';
const gatewayMain = join(root, gatewayPath);

/** The API path that all of them pass on. */
const path = '/v1/signals/sig_01KA9QDR7C9X2Y5W8V1T3S6R4P';

/** Starts a process and waits until it answers. */
async function start(
  scope: AsyncDisposableStack,
  entry: string,
  env: Readonly<Record<string, string>>,
): Promise<{ origin: string; process: ServiceProcess }> {
  const port = await pickFreePort();
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

type Stores = Pick<BackingServices, 'redisUrl' | 'mongodbUri' | 'amqpUrl'>;

/** The small service behind them all. */
export function startUpstream(scope: AsyncDisposableStack) {
  return start(scope, own('upstream.ts'), {});
}

/** The gateway as it ships, with a key that is never refused and one that may make `limitedTo` requests a minute. */
export async function startGateway(
  scope: AsyncDisposableStack,
  stores: Stores,
  {
    upstream,
    limitedTo,
    settings = {},
  }: { upstream: string; limitedTo: number; settings?: Readonly<Record<string, string>> },
) {
  const env = {
    REDIS_URL: stores.redisUrl,
    MONGODB_URI: stores.mongodbUri,
    MONGODB_DATABASE: 'bench_gateway',
    AMQP_URL: stores.amqpUrl,
    BROKER_NAMESPACE: 'bench',
  };
  const serving = {
    ...env,
    IDENTITY_PRIVATE_KEY: testKeyPair().privateKey,
    GATEWAY_SEAL_KEYS: `1:${randomBytes(32).toString('base64')}`,
    SIGNALS_URL: upstream,
    STATS_URL: upstream,
    WEBHOOKS_URL: upstream,
    ...settings,
  };
  const gateway = await start(scope, gatewayMain, serving);
  const operator = scope.use(new OperatorProcess());
  const operate: Operate = (...args) => operator.run(args, env);
  const plentiful = await makeKey(operate, 'plentiful', 100_000_000);
  const limited = await makeKey(operate, 'limited', limitedTo);
  return {
    origin: gateway.origin,
    /** One more gateway, which accepts, with other settings. */
    another: async (name: string, settings: Readonly<Record<string, string>>, main = gatewayMain) =>
      contender(name, await start(scope, main, { ...serving, ...settings }), plentiful),
    /** A key of a new account that may make `perMinute` requests a minute. */
    newKey: (name: string, perMinute: number) => makeKey(operate, name, perMinute),
    accepting: contender('(c) this gateway', gateway, plentiful),
    limited: contender('(c) refusing: over the limit', gateway, limited),
    badKey: contender('(c) refusing: mistyped key', gateway, `${plentiful.slice(0, -1)}-`),
  };
}

/**
 * All contenders, running, in the order they are measured.
 * @param otherCheckout the root of another, installed checkout, whose gateway takes part; empty for none
 */
export async function startContenders(scope: AsyncDisposableStack, stores: Stores, otherCheckout: string) {
  const upstream = await startUpstream(scope);
  const key = 'sk_assembled_key_that_is_as_long_as_one_of_ours_would_be_0123456789';
  const bare = await start(scope, own('bare.ts'), { UPSTREAM: upstream.origin });
  const assembled = await start(scope, own('assembled.ts'), {
    REDIS_URL: stores.redisUrl,
    MONGODB_URI: stores.mongodbUri,
    UPSTREAM: upstream.origin,
    KEY: key,
  });
  const gateway = await startGateway(scope, stores, { upstream: upstream.origin, limitedTo: 1 });
  const collector = scope.use(await startCollector());
  return {
    direct: contender('service called directly', upstream),
    bare: contender('(a) Express + undici, nothing else', bare),
    assembled: contender('(b) assembled from parts', assembled, key),
    ...gateway,
    traced: await gateway.another('(c) with 1 % of requests traced', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    }),
    unlogged: await gateway.another('(c) without the request log', { REQUEST_LOG: 'false' }),
    other:
      otherCheckout === ''
        ? undefined
        : await gateway.another('(c) of the other checkout', {}, join(otherCheckout, gatewayPath)),
  };
}

function contender(
  name: string,
  at: { origin: string; process: ServiceProcess },
  bearer?: string,
): Contender {
  const headers = { Accept: 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) };
  return { name, url: at.origin + path, headers, pid: at.process.pid };
}

type Operate = (...args: string[]) => Promise<Record<string, unknown>>;

async function makeKey(operate: Operate, plan: string, perMinute: number): Promise<string> {
  await operate('plan', 'set', plan, '--per-minute', String(perMinute), '--per-day', '1000000000');
  const email = `${plan}@bench.example`;
  await operate('account', 'create', '--email', email, '--plan', plan, '--if-missing');
  const { key } = await operate('key', 'create', '--account', email, '--name', 'bench');
  if (typeof key !== 'string') throw new Error('no key was made');
  return key;
}
