import { serve, serveMetrics } from '@sigcast/http';
import { connectMongo } from '@sigcast/mongo';
import { connectRedis, type RedisClient } from '@sigcast/redis';
import { type Logger, newSealKey, silentLogger } from '@sigcast/runtime';
import { type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { readGatewayConfig, serverLimits } from '../src/config.ts';
import { type Plan, standardPlan } from '../src/domain/plan.ts';
import { openGateway } from '../src/gateway.ts';
import { GatewayMetrics } from '../src/metrics.ts';
import { runOperator } from '../src/operator/run.ts';
import { MongoAccounts } from '../src/store/accounts.ts';
import { MongoApiKeys } from '../src/store/api-keys.ts';
import { ChangePropagator } from '../src/store/change-propagator.ts';
import { type Models, prepareStore } from '../src/store/models.ts';
import { openSharedCounters } from '../src/store/open-shared-counters.ts';
import type { RedisCounters } from '../src/store/redis-counters.ts';
import { type ScriptedUpstream, startUpstream } from './scripted-upstream.ts';

/** Longer than the product's: on a busy machine, too, gateways count in Redis unless a test makes Redis unavailable. */
const storeTimeouts = { redisMs: 1_500, mongodbMs: 10_000 };

export type GatewayChoices = {
  readonly windowMs?: number;
  readonly redisUrl?: string;
  readonly mongodbUri?: string;
  readonly amqpUrl?: string;
  /** Whether the gateway has the product's timeouts of calls to stores. */
  readonly impatient?: boolean;
  readonly log?: Logger;
  /** The gateway's clock. Default: the machine's. */
  readonly clock?: () => number;
  /** What the names of services stand for. */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
  readonly env?: Readonly<Record<string, string>>;
};

type CommandData = Record<string, unknown> & { readonly error?: { code: string; message: string } };

/** Gateways with stores of their own, and one scripted service behind all routes. */
export class World implements AsyncDisposable {
  readonly stack: TestStack;
  readonly upstream: ScriptedUpstream;
  readonly accounts: MongoAccounts;
  readonly keys: MongoApiKeys;
  readonly models: Models;
  readonly redis: RedisClient;
  readonly propagator: ChangePropagator;
  readonly identityKeys = testKeyPair();
  readonly sealKeys = newSealKey(1);
  readonly database: string;
  readonly #resources: AsyncDisposableStack;
  readonly #registries = new Map<string, Registry>();
  readonly #probes = new Map<string, string>();
  readonly #endStreams = new Map<string, () => void>();

  private constructor(parts: {
    stack: TestStack;
    upstream: ScriptedUpstream;
    models: Models;
    redis: RedisClient;
    database: string;
    resources: AsyncDisposableStack;
  }) {
    this.stack = parts.stack;
    this.upstream = parts.upstream;
    this.models = parts.models;
    this.redis = parts.redis;
    this.database = parts.database;
    this.#resources = parts.resources;
    this.accounts = new MongoAccounts(parts.models);
    this.keys = new MongoApiKeys(parts.models);
    this.propagator = new ChangePropagator(parts);
  }

  static async start(stack: TestStack = testStack()): Promise<World> {
    const resources = new AsyncDisposableStack();
    resources.use(stack);
    const log = silentLogger();
    const database = stack.database('gateway');
    const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
    const models = await prepareStore(connection, log, resources);
    const redis = connectRedis(
      { url: stack.redisUrl, keyPrefix: stack.redisKeyPrefix, timeoutMs: storeTimeouts.redisMs },
      log,
      resources,
    );
    await new Promise((resolve) => redis.once('ready', resolve));
    const upstream = await startUpstream();
    resources.defer(() => upstream.close());
    return new World({ stack, upstream, models, redis, database, resources });
  }

  /** Starts a gateway, which ends with this world. @returns its URL. */
  async gateway(choices: GatewayChoices = {}): Promise<string> {
    const { log = silentLogger() } = choices;
    const config = readGatewayConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      MONGODB_URI: choices.mongodbUri ?? this.stack.mongodbUri,
      MONGODB_DATABASE: this.database,
      REDIS_URL: choices.redisUrl ?? this.stack.redisUrl,
      REDIS_KEY_PREFIX: this.stack.redisKeyPrefix,
      AMQP_URL: choices.amqpUrl ?? this.stack.amqpUrl,
      BROKER_NAMESPACE: this.stack.namespace,
      IDENTITY_PRIVATE_KEY: this.identityKeys.privateKey,
      GATEWAY_SEAL_KEYS: this.sealKeys,
      SIGNALS_URL: this.upstream.url,
      STATS_URL: this.upstream.url,
      TRACKER_URL: this.upstream.url,
      SCANNER_URL: this.upstream.url,
      WEBHOOKS_URL: this.upstream.url,
      TRUST_PROXY: 'true',
      ...choices.env,
    });
    const { windowMs, impatient = false } = choices;
    const { app, direct, probes, registry, endStreams } = await openGateway({
      ...(choices.lookup && { lookup: choices.lookup }),
      ...(choices.clock && { clock: choices.clock }),
      config,
      log,
      resources: this.#resources,
      countsEveryMs: 200,
      passwordCost: { N: 2 ** 10, r: 8, p: 1 },
      ...(impatient ? {} : { storeTimeouts }),
      ...(windowMs === undefined ? {} : { windowMs }),
    });
    const at = { host: config.HOST, port: config.PORT };
    const url = await serve(app, { ...at, ...serverLimits(config), direct }, log, this.#resources);
    this.#registries.set(url, registry);
    const aside = { METRICS_HOST: config.HOST, METRICS_PORT: 0, others: probes };
    this.#probes.set(url, (await serveMetrics(registry, aside, log, this.#resources)) ?? '');
    this.#endStreams.set(url, endStreams);
    return url;
  }

  /** Asks a gateway's probe `/healthz` or `/readyz`. */
  probe(gateway: string, path: '/healthz' | '/readyz'): Promise<Response> {
    return fetch(new URL(path, this.#probes.get(gateway)));
  }

  /** Ends the event streams through a gateway, as it does when it stops. */
  endStreams(gateway: string): void {
    this.#endStreams.get(gateway)?.();
  }

  /** The shared counters as a gateway opens them, over these stores, until the world ends. */
  async sharedCounters(): Promise<RedisCounters> {
    const resources = new AsyncDisposableStack();
    this.defer(() => resources.disposeAsync());
    const { counters } = await openSharedCounters({
      redis: this.redis,
      models: this.models,
      windowMs: 60_000,
      metrics: new GatewayMetrics(new Registry()),
      log: silentLogger(),
      resources,
    });
    return counters;
  }

  /** The settings of operator commands on these stores. */
  get commandSettings() {
    return {
      MONGODB_URI: this.stack.mongodbUri,
      MONGODB_DATABASE: this.database,
      REDIS_URL: this.stack.redisUrl,
      REDIS_KEY_PREFIX: this.stack.redisKeyPrefix,
      GATEWAY_SEAL_KEYS: this.sealKeys,
    };
  }

  /** Runs an operator command. @returns its exit status, what it printed, and `data`: what it prints with `--json`, parsed. */
  async command(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
    const out: string[] = [];
    const err: string[] = [];
    const output = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
    const status = await runOperator(args, { ...this.commandSettings, ...settings }, output);
    const printed = out.join('\n');
    const data = (args.includes('--json') ? JSON.parse(printed) : {}) as CommandData;
    return { status, out: printed, err: err.join('\n'), data };
  }

  /** The value of one of a gateway's metrics: the sum over all samples that have these labels. */
  async metric(
    gateway: string,
    name: string,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const metric = await this.#registries.get(gateway)?.getSingleMetric(name)?.get();
    return sumOf(metric?.values ?? [], labels);
  }

  /** How many requests with these labels a gateway has answered. */
  async answers(gateway: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const name = 'http_server_request_duration_seconds';
    const metric = await this.#registries.get(gateway)?.getSingleMetric(name)?.get();
    // The library's types lack the member that tells counts, sums and buckets of a histogram apart.
    const samples = (metric?.values ?? []) as (Sample & { readonly metricName?: string })[];
    return sumOf(
      samples.filter(({ metricName }) => metricName === `${name}_count`),
      labels,
    );
  }

  defer(release: () => unknown): void {
    this.#resources.defer(async () => {
      await release();
    });
  }

  /** Lets a key expire. The caller propagates the change. */
  async expireKey(sha256: string, at: Date): Promise<void> {
    const [key] = await this.keys.find(sha256);
    if (key === undefined || !(await this.keys.expire(key, at))) throw new Error('there is no such key');
  }

  /** A new account with its own plan and a verified e-mail address, and a key of it. */
  async customer(limits: Partial<Omit<Plan, 'name'>> = {}, expiresAt: Date | null = null) {
    const suffix = Math.random().toString(36).slice(2, 12);
    const plan = `plan-${suffix}`;
    await this.accounts.putPlan({
      ...standardPlan,
      name: plan,
      perMinute: 10_000,
      perDay: 100_000,
      ...limits,
    });
    const account = await this.accounts.create({
      email: `${suffix}@example.test`,
      passwordHash: 'x',
      plan,
      verification: 'verified',
    });
    if (account === undefined) throw new Error('the address is taken');
    const key = await this.keys.create({
      account: account.id,
      name: 'test',
      environment: 'test',
      expiresAt,
    });
    return { account: account.id, plan, sha256: key.sha256, key: key.text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

type Sample = { readonly value: number; readonly labels: object };

function sumOf(samples: readonly Sample[], labels: Readonly<Record<string, string>>): number {
  return samples
    .filter((sample) => {
      const own = new Map(Object.entries(sample.labels));
      return Object.entries(labels).every(([label, is]) => own.get(label) === is);
    })
    .reduce((sum, { value }) => sum + value, 0);
}
