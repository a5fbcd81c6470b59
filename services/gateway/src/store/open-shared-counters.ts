import { SigcastError } from '@sigcast/contracts';
import type { RedisClient } from '@sigcast/redis';
import type { Logger, Resources } from '@sigcast/runtime';
import type { KeyRepository } from '../domain/account.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { type AskRedis, askRedis } from './ask-redis.ts';
import { CacheUnavailable, ChangePropagator } from './change-propagator.ts';
import type { MongoKeyRepository } from './key-repository.ts';
import { MasterBreakers } from './master-breakers.ts';
import type { Models } from './models.ts';
import { accountWindows, RecordCache, RedisCounters } from './shared-store.ts';

/** How often a gateway looks for changes whose announcement was interrupted. */
const sweepEveryMs = 1_000;
/** How long a start waits for Redis before it goes on without. */
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
 * The shared counters with all that keeps them true: after an outage, changes made meanwhile are announced before
 * a master of Redis is believed again; interrupted announcements are taken up; ageing copies are read anew.
 */
export async function openSharedCounters(deps: SharedCountersDeps): Promise<SharedStore> {
  const { redis, models, keyRepository, windowMs, metrics, log, resources } = deps;
  const copies = new RecordCache(redis);
  const propagator = new ChangePropagator({
    models,
    copies,
    limitsOf: (plan) => keyRepository.limitsOf(plan),
  });
  const breakers = new MasterBreakers({
    redis,
    recover: async (master) => {
      await redis.check(master);
      const unknown = (err: unknown) =>
        log.warn({ err, master }, 'redis is back, but changes made meanwhile are unknown');
      await propagateOr(propagator, (account) => redis.masterOf(accountWindows(account)) === master, unknown);
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
    const waits = (err: unknown) => log.debug({ err }, 'announcing waits');
    const reachable = (account: string) => breakers.for(accountWindows(account))?.closed === true;
    propagateOr(propagator, reachable, waits).catch(waits);
  }, sweepEveryMs);
  sweep.unref();
  resources.defer(() => clearInterval(sweep));

  const refresher = refreshCopies(copies, keyRepository, log);
  await firstUse(redis, breakers);
  const ask = askRedis({
    breakerFor: (key) => breakers.for(key),
    onFailure: () => metrics.storeFailure('redis'),
  });
  const counters = new RedisCounters({ redis, ask, windowMs, onStale: refresher });
  return { counters, propagator, ask };
}

/**
 * A failing MongoDB must not keep Redis out of use: cached keys go on, and what is marked is announced later. But a
 * Redis that did not take a change is not to be believed yet.
 */
async function propagateOr(
  propagator: ChangePropagator,
  matters: (account: string) => boolean,
  onFailure: (error: unknown) => void,
): Promise<void> {
  try {
    await propagator.propagatePending(matters);
  } catch (error) {
    if (error instanceof CacheUnavailable) throw error;
    onFailure(error);
  }
}

/** Reads a copy anew, beside the request that found it old. While MongoDB is away the old copy stays. */
function refreshCopies(copies: RecordCache, keyRepository: KeyRepository, log: Logger) {
  const refresh = async (key: ApiKey, nowMs: number) => {
    const found = await keyRepository.find(key);
    if (found === undefined) {
      await copies.dropKey(key);
      return;
    }
    await copies.putKey(key, found.key, nowMs);
    await copies.putAccount(key.account, found.account, nowMs);
  };
  return (key: ApiKey, nowMs: number) => {
    refresh(key, nowMs).catch((err: unknown) => {
      const level = err instanceof SigcastError ? 'debug' : 'warn';
      log[level]({ err }, "a key's copy could not be read anew; the old one stays for now");
    });
  };
}

async function firstUse(redis: RedisClient, breakers: MasterBreakers): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  if (redis.status !== 'ready') {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, startTimeoutMs);
      redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  while (!breakers.allClosed && performance.now() < until) {
    await breakers.tryAll();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
