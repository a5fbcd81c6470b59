import type { RedisClient } from '@sigcast/redis';
import { keepPassingOn, type Logger, pause, type Resources } from '@sigcast/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { type AskRedis, askRedis } from './ask-redis.ts';
import { ChangePropagator } from './change-propagator.ts';
import { MasterBreakers } from './master-breakers.ts';
import type { Models } from './models.ts';
import { accountWindows, RedisCounters } from './redis-counters.ts';

/**
 * Between two searches for changes that a crash, or a process without Redis, has left behind, in milliseconds. A revocation
 * waits for it.
 */
const pauses = { firstMs: 1_000, maxMs: 1_000 };
/** How long the start waits for Redis. After that the gateway serves without Redis. */
const startTimeoutMs = 1_000;

export type SharedCountersDeps = {
  readonly redis: RedisClient;
  readonly models: Models;
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

/** Opens the counters in Redis, and propagates the changes of keys and accounts that a crash or an outage left behind. */
export async function openSharedCounters(deps: SharedCountersDeps): Promise<SharedStore> {
  const { redis, models, windowMs, metrics, log, resources } = deps;
  const propagator = new ChangePropagator({ models, redis });
  /** By master: another number each time it comes into use. */
  const epochs = new Map<string, number>();
  let lastEpoch = 0;
  const breakers = new MasterBreakers({
    redis,
    recover: async (master) => {
      await redis.check(master);
      // Redis replicates asynchronously: a new master may have stamps of before the last changes. Other gateways that use it
      // already are told again by those who made the changes.
      await propagator.repeat((account) => redis.masterOf(accountWindows(account)) === master);
      lastEpoch += 1;
      epochs.set(master, lastEpoch);
    },
    onChange: (master, inUse) => {
      if (inUse) log.info({ master }, 'redis: in use');
      else log.warn({ master }, 'redis: not in use, requests are counted in this process');
    },
  });
  resources.use(breakers);
  metrics.followRedis(() => breakers.allClosed);

  const isReachable = (account: string) => breakers.for(accountWindows(account))?.closed === true;
  const problem = 'changes of keys and accounts wait to be propagated';
  const find = async (limit: number) =>
    breakers.someClosed ? (await propagator.changed()).filter(isReachable).slice(0, limit) : [];
  const passOn = (account: string) => propagator.propagate(account);
  keepPassingOn({ problem, find, passOn, pauses, log }, resources);

  await waitForRedis(redis, breakers);
  const ask = askRedis({
    breakerFor: (key) => breakers.for(key),
    onFailure: () => metrics.storeFailure('redis'),
  });
  const epochOf = (key: string) => epochs.get(redis.masterOf(key) ?? '') ?? 0;
  const counters = new RedisCounters({ redis, ask, windowMs, epochOf });
  return { counters, propagator, ask };
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
