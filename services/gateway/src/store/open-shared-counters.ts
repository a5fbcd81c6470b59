import { SigcastError } from '@sigcast/contracts';
import type { RedisClient } from '@sigcast/redis';
import { type Logger, pause, type Resources } from '@sigcast/runtime';
import type { ApiKey } from '../domain/api-key.ts';
import type { KeyRepository } from '../domain/credentials.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { type AskRedis, askRedis } from './ask-redis.ts';
import { CacheUnavailable, ChangePropagator } from './change-propagator.ts';
import type { MongoKeyRepository } from './key-repository.ts';
import { MasterBreakers } from './master-breakers.ts';
import type { Models } from './models.ts';
import { RecordCache } from './record-cache.ts';
import { accountWindows, RedisCounters } from './redis-counters.ts';

/** How often a gateway looks for changes that a crash, or a process without Redis, has left behind. A revocation waits for it. */
const sweepEveryMs = 1_000;
/** How long the start waits for Redis. After that the gateway serves without Redis. */
const startTimeoutMs = 1_000;

export type SharedCountersDeps = {
  readonly redis: RedisClient;
  readonly models: Models;
  readonly keyRepository: MongoKeyRepository;
  readonly windowMs: number;
  readonly metrics: GatewayMetrics;
  readonly log: Logger;
  readonly resources: Resources;
};

export type SharedStore = {
  readonly counters: RedisCounters;
  readonly propagator: ChangePropagator;
  readonly ask: AskRedis;
};

/**
 * Opens the counters in Redis and keeps the cached keys and accounts current: propagates the changes of an outage, and again
 * those shortly before it, before a Redis master is used, propagates what a crash left behind, and refreshes old cache entries.
 */
export async function openSharedCounters(deps: SharedCountersDeps): Promise<SharedStore> {
  const { redis, models, keyRepository, windowMs, metrics, log, resources } = deps;
  const cache = new RecordCache(redis);
  const propagator = new ChangePropagator({
    models,
    cache,
    limitsOf: (plan) => keyRepository.planOf(plan),
  });
  const breakers = new MasterBreakers({
    redis,
    recover: async (master) => {
      await redis.check(master);
      const isIncluded = (account: string) => redis.masterOf(accountWindows(account)) === master;
      const propagate = async () => {
        await propagator.propagatePending(isIncluded);
        await propagator.propagateRecent(isIncluded);
      };
      await unlessMongoFails(propagate, (err) =>
        log.warn({ err, master }, 'redis is back, but MongoDB can’t say which changes were made meanwhile'),
      );
    },
    onChange: (master, inUse) => {
      if (inUse) log.info({ master }, 'redis: in use');
      else log.warn({ master }, 'redis: not in use, requests are counted in this process');
    },
  });
  resources.use(breakers);
  metrics.followRedis(() => breakers.allClosed);

  const sweep = setInterval(() => {
    if (!breakers.someClosed) return;
    const logFailure = (err: unknown) =>
      log.debug({ err }, 'changes of keys and accounts wait to be propagated');
    const isIncluded = (account: string) => breakers.for(accountWindows(account))?.closed === true;
    propagator.propagatePending(isIncluded).catch(logFailure);
  }, sweepEveryMs);
  sweep.unref();
  resources.defer(() => clearInterval(sweep));

  const refreshEntry = refreshCache(cache, keyRepository, log);
  await waitForRedis(redis, breakers);
  const ask = askRedis({
    breakerFor: (key) => breakers.for(key),
    onFailure: () => metrics.storeFailure('redis'),
  });
  const counters = new RedisCounters({ redis, ask, windowMs, onStale: refreshEntry });
  return { counters, propagator, ask };
}

/**
 * Propagates changes. A failure of MongoDB does not reject, because it must not keep Redis out of use: cached keys stay
 * valid, and marked changes are propagated later.
 * @throws {CacheUnavailable} when Redis did not take a change: then Redis must not be used yet.
 */
async function unlessMongoFails(
  propagate: () => Promise<void>,
  onMongoFailure: (error: unknown) => void,
): Promise<void> {
  try {
    await propagate();
  } catch (error) {
    if (error instanceof CacheUnavailable) throw error;
    onMongoFailure(error);
  }
}

/** Refreshes an old cache entry from MongoDB, in the background. While MongoDB is unavailable the old entry stays. */
function refreshCache(cache: RecordCache, keyRepository: KeyRepository, log: Logger) {
  const refresh = async (key: ApiKey, nowMs: number) => {
    const found = await keyRepository.find(key);
    if (found === undefined) {
      await cache.removeKey(key);
      return;
    }
    await cache.putKey(key, found.key, nowMs);
    await cache.putAccount(key.account, found.account, nowMs);
  };
  return (key: ApiKey, nowMs: number) => {
    refresh(key, nowMs).catch((err: unknown) => {
      const level = err instanceof SigcastError ? 'debug' : 'warn';
      log[level]({ err }, 'the cached state of a key could not be refreshed; the old state stays for now');
    });
  };
}

/** Resolves when all Redis masters are in use, or after `startTimeoutMs`. */
async function waitForRedis(redis: RedisClient, breakers: MasterBreakers): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, startTimeoutMs);
      redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  while (!breakers.allClosed && performance.now() < endMs) {
    await breakers.tryAll();
    await pause(10);
  }
}
