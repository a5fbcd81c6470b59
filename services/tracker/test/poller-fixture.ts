import {
  identityHeader,
  type Realizable,
  sampleOf,
  signalsDecideScope,
  signalsReadScope,
  signalsWriteScope,
  tokenSchema,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { httpSource, limitedSource, type Permits, redisPermits } from '@sigcast/market';
import { connectMongo, startIndexes } from '@sigcast/mongo';
import { connectRedis } from '@sigcast/redis';
import { type Logger, LogThrottle, silentLogger } from '@sigcast/runtime';
import { addressOf, spawnService, type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import type { mongo } from 'mongoose';
import { Registry } from 'prom-client';
import type { ApplyRules } from '../src/domain/apply-rules.ts';
import type { PendingObservation } from '../src/domain/following.ts';
import { parseSchedule, type Schedule } from '../src/domain/schedule.ts';
import type { SendObservations } from '../src/domain/sending.ts';
import { marketSource, pausedAfterFailures, secondSource } from '../src/market/market-source.ts';
import { PollerMetrics } from '../src/poller/metrics.ts';
import { startPoller } from '../src/poller/poller.ts';
import { startRefreshing } from '../src/poller/refresh-holders.ts';
import { observationsApi } from '../src/sending/observations-api.ts';
import { countDue, mongoFollowedSignals } from '../src/store/mongo-followed-signals.ts';
import { mongoHolders } from '../src/store/mongo-holders.ts';
import { type TrackedDocument, trackedCollection, trackedIndexes } from '../src/store/tracked-document.ts';
import { startMarket, type TestMarket, type TestToken, testChain } from './market.ts';

const file = (path: string) => new URL(path, import.meta.url).pathname;

/** A followed signal, and its token at the market. */
export type Followed = { readonly id: string; readonly contract: string };

/** An observation that a poller sent, as it was sent. */
export type Sent = { readonly id: string; readonly observation: PendingObservation };

type PollerSettings = {
  readonly perMinute?: number;
  readonly leaseMs?: number;
  /** Default: the schedule of production. */
  readonly schedule?: Schedule;
  readonly applyRules?: ApplyRules;
  readonly registry?: Registry;
  readonly log?: Logger;
  readonly atOnce?: number;
  readonly signalsUrl?: string;
  readonly permits?: Permits;
  /** Whether the second source is asked, too. A figure has jumped by more than three times. */
  readonly hasSecond?: boolean;
  /** How often the second source is asked about holders; default: never. */
  readonly refreshSchedule?: Schedule;
  /** Called before the poller asks for a permit. */
  readonly beforePermit?: () => void;
  /** Called before the poller sends observations. */
  readonly beforeSend?: () => Promise<void>;
};

const hourMs = 3_600_000;

/** A schedule that asks about each signal this often, up to this age. Both in milliseconds. */
export const askEvery = (everyMs: number, upToMs = hourMs): Schedule => [{ upToMs, everyMs }];

/** Decides nothing and remembers nothing. */
const noRules: ApplyRules = () => ({ state: {} });

/** The signals service as a process, a market, and pollers on real stores. */
export type PollerFixture = {
  readonly stack: TestStack;
  readonly market: TestMarket;
  /** The second source, which a poller has by its setting. */
  readonly second: TestMarket;
  readonly tracked: mongo.Collection<TrackedDocument>;
  readonly signalsUrl: string;
  /** Settings of the poller's process. */
  readonly environment: Readonly<Record<string, string>>;
  /** What pollers of `startPoller` sent, and the service took, in order. */
  readonly sent: Sent[];
  /** Creates a signal that is followed and due, with a token at the market. */
  follow(
    more?: Partial<Omit<TrackedDocument, 'token'>> & { readonly token?: TestToken; readonly chain?: string },
  ): Promise<Followed>;
  /** The signal in the signals service. */
  signal(id: string): Promise<StoredSignal>;
  /** What an account is shown of the exit rule's result for the signal. */
  realizable(id: string): Promise<Realizable | null>;
  /** Changes a signal as a producer does. */
  patch(id: string, body: object): Promise<void>;
  /** The tracker's document of a signal. */
  trackedOf(id: string): Promise<TrackedDocument>;
  startPoller(settings?: PollerSettings): AsyncDisposable;
  [Symbol.asyncDispose](): Promise<void>;
};

type StoredSignal = {
  readonly rev: number;
  readonly signal: {
    readonly metrics: {
      readonly mcap_current: number;
      readonly liquidity: number;
      readonly volume_24h: number;
    };
    readonly performance: { readonly status: string };
  };
};

/** Starts the signals service and a market. Tests of one file share them and have signals of their own. */
export async function pollerFixture(): Promise<PollerFixture> {
  const stack = testStack();
  const resources = new AsyncDisposableStack();
  const log = silentLogger();
  const keys = testKeyPair();
  const gateway = testKeyPair();
  const account = identitySigner(
    'gateway',
    gateway.privateKey,
    'signals',
  )({
    subject: 'acct_1',
    scopes: [],
    ttlS: 3_600,
  });
  const sign = identitySigner('operator', keys.privateKey, 'signals');
  const token = (subject: string, ...scopes: string[]) => sign({ subject, scopes, ttlS: 3_600 });
  const trackerToken = token('tracker', signalsWriteScope, signalsDecideScope);
  const signals = resources.use(
    spawnService(file('../../signals/src/main.ts'), {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database('signals'),
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
      GATEWAY_PUBLIC_KEYS: gateway.publicKey,
      OPERATOR_PUBLIC_KEYS: keys.publicKey,
      PORT: '0',
    }),
  );
  const signalsUrl = await addressOf(signals);
  const market = resources.use(await startMarket());
  const second = resources.use(await startMarket());
  const database = stack.database('tracker');
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  await startIndexes(connection, { [trackedCollection]: trackedIndexes }, log, resources);
  const tracked = connection.collection<TrackedDocument>(trackedCollection);
  const sent: Sent[] = [];

  const ask = async (scope: string, path: string, init: { method?: string; body?: string } = {}) => {
    const response = await fetch(`${signalsUrl}/internal/v1/signals${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token('feed', scope)}`, 'content-type': 'application/json' },
    });
    const { data } = (await response.json()) as { data: unknown };
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return data;
  };

  let contracts = 0;
  const follow: PollerFixture['follow'] = async ({ token: atMarket, chain = testChain, ...more } = {}) => {
    contracts += 1;
    const contract = more.contract ?? `${stack.namespace}C${contracts}`;
    const created_at = more.created_at ?? new Date();
    const body = JSON.stringify({
      token: { symbol: 'TEST', name: 'Test', contract, age_hours: 1 },
      metrics: { mcap_entry: 1_000, volume_24h: 0, holders: 1, liquidity: 500 },
      type: 'new',
      is_premium: false,
      created_at,
    });
    const { id } = (await ask(signalsWriteScope, '', { method: 'POST', body })) as { id: string };
    if (atMarket) market.tokens.set(contract, atMarket);
    await tracked.insertOne({
      _id: id,
      rev: 1,
      oldest_rev: 1,
      contract,
      mcap_entry: 1_000,
      mcap_ath: 1_000,
      ath_hours: 0,
      symbol_key: 'TEST',
      contract_key: contract,
      type: 'new',
      is_premium: false,
      known_at: created_at,
      revs_known: {},
      token: sampleOf(tokenSchema, { contract, chain }),
      liquidity_entry: 500,
      status: 'active',
      created_at,
      due_at: new Date(),
      ...more,
    });
    return { id, contract };
  };

  const start: PollerFixture['startPoller'] = (settings = {}) => {
    const own = new AsyncDisposableStack();
    const {
      perMinute = 60_000,
      leaseMs = 30_000,
      schedule = parseSchedule('1h:1m,1d:5m,30d:1h'),
      applyRules = noRules,
    } = settings;
    const timeoutMs = 5_000;
    const redis = connectRedis(
      { url: stack.redisUrl, keyPrefix: stack.redisKeyPrefix, timeoutMs: 5_000 },
      log,
      own,
    );
    const source = httpSource({ url: market.url, timeoutMs });
    own.defer(() => source.close());
    const api = observationsApi({ url: settings.signalsUrl ?? signalsUrl, token: trackerToken, timeoutMs });
    own.defer(() => api.close());
    const metrics = new PollerMetrics(settings.registry ?? new Registry(), () => countDue(connection));
    const secondHttp = httpSource({ url: second.url, timeoutMs });
    own.defer(() => secondHttp.close());
    const limited = limitedSource(secondHttp, {
      permits: redisPermits(redis, { source: 'geckoterminal', perMinute }),
      pauseMs: () => 20,
      answered: ({ kind }) => metrics.askedSecond(kind),
    });
    const { refreshSchedule } = settings;
    if (refreshSchedule) {
      const store = mongoHolders(connection, { schedule: refreshSchedule, now: () => new Date() });
      const ofHolders = redisPermits(redis, { source: 'geckoterminal-holders', perMinute });
      startRefreshing(
        { store, source: limited, permits: ofHolders, log, logThrottle: new LogThrottle() },
        own,
      );
    }
    const first = marketSource(source);
    const send: SendObservations = async (observations) => {
      await settings.beforeSend?.();
      const report = await api.send(observations);
      if (report.kind === 'answered') sent.push(...observations);
      return report;
    };
    const permits = settings.permits ?? redisPermits(redis, { source: 'dexscreener', perMinute });
    const take = () => {
      settings.beforePermit?.();
      return permits.take();
    };
    startPoller(
      {
        source: settings.hasSecond ? pausedAfterFailures(first, () => 100) : first,
        second: settings.hasSecond ? { source: secondSource(limited, timeoutMs), factor: 3 } : undefined,
        send,
        applyRules,
        log: settings.log ?? log,
        schedule,
        refreshSchedule,
        logThrottle: new LogThrottle(),
        store: mongoFollowedSignals(connection),
        permits: { ...permits, take },
        metrics,
      },
      {
        leaseMs,
        backoff: { firstMs: 20, maxMs: 100 },
        ...(settings.atOnce !== undefined && { atOnce: settings.atOnce }),
      },
      own,
    );
    return own;
  };

  return {
    stack,
    market,
    second,
    tracked,
    signalsUrl,
    sent,
    follow,
    startPoller: start,
    environment: {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: database,
      REDIS_URL: stack.redisUrl,
      REDIS_KEY_PREFIX: stack.redisKeyPrefix,
      SIGNALS_URL: signalsUrl,
      SIGNALS_TOKEN: trackerToken,
      MARKET_URL: market.url,
      MARKET_REQUESTS_PER_MINUTE: '60000',
      PORT: '0',
    },
    signal: async (id) => (await ask(signalsReadScope, `/${id}`)) as StoredSignal,
    realizable: async (id) => {
      const response = await fetch(`${signalsUrl}/v1/signals/${id}?include=realizable`, {
        headers: { [identityHeader]: account },
      });
      return ((await response.json()) as { data: { realizable: Realizable | null } }).data.realizable;
    },
    patch: async (id, body) => {
      await ask(signalsWriteScope, `/${id}`, { method: 'PATCH', body: JSON.stringify(body) });
    },
    trackedOf: async (id) => {
      const found = await tracked.findOne({ _id: id });
      if (!found) throw new Error(`${id} is not tracked`);
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      await resources.disposeAsync();
      await stack[Symbol.asyncDispose]();
    },
  };
}
