// The tracker's poller: asks the market about signals that are due, and sends what it observed to the signals service.
import { once } from 'node:events';
import { probesApp, runProgram } from '@sigcast/http';
import { httpSource, redisPermits } from '@sigcast/market';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { rulesV1 } from '@sigcast/outcomes';
import { checkMasters, connectRedis, redisFrom } from '@sigcast/redis';
import { LogThrottle, waitAtMost } from '@sigcast/runtime';
import { parseSchedule } from './domain/schedule.ts';
import { marketSource } from './market/market-source.ts';
import { PollerMetrics } from './poller/metrics.ts';
import { startPoller } from './poller/poller.ts';
import { readPollerConfig, readRules } from './poller-config.ts';
import { observationsApi } from './sending/observations-api.ts';
import { countDue, mongoFollowedSignals } from './store/mongo-followed-signals.ts';
import { trackedCollection, trackedIndexes } from './store/tracked-document.ts';

/** How long the start waits for Redis, in milliseconds. */
const redisWaitMs = 1_000;

/** The timeout of a call to Redis, in milliseconds. Nobody waits for a poller, so it is longer than the gateway's. */
const redisTimeoutMs = 1_000;

/** The timeout of a request to the market or to the signals service, in milliseconds. */
const longestRequestMs = 10_000;

const from = { read: readPollerConfig, env: process.env, source: import.meta.url };
await runProgram('tracker-poller', from, async ({ config, log, registry, resources, serve }) => {
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, { [trackedCollection]: trackedIndexes }, log, resources);
  const redis = connectRedis({ ...redisFrom(config), timeoutMs: redisTimeoutMs }, log, resources);
  // Without a connection the first claim would look like an outage.
  const ready = once(redis, 'ready').catch(() => undefined);
  await waitAtMost(redisWaitMs, ready);
  const checks = { mongodb: () => pingMongo(connection) };
  await serve(probesApp({ checks, reportedChecks: { redis: () => checkMasters(redis) } }, log));
  // A request takes a quarter of the lease at most. So one to the market, one with figures, and the decisions, which are sent
  // together, leave a quarter for the writes.
  const timeoutMs = Math.min(longestRequestMs, Math.floor(config.TRACKER_LEASE_MS / 4));
  const source = httpSource({ url: config.MARKET_URL, timeoutMs });
  resources.defer(() => source.close());
  const api = observationsApi({ url: config.SIGNALS_URL, token: config.SIGNALS_TOKEN, timeoutMs });
  resources.defer(() => api.close());
  startPoller(
    {
      source: marketSource(source),
      log,
      logThrottle: new LogThrottle(),
      send: api.send,
      store: mongoFollowedSignals(connection),
      permits: redisPermits(redis, { source: 'dexscreener', perMinute: config.MARKET_REQUESTS_PER_MINUTE }),
      applyRules: rulesV1(readRules(config)),
      schedule: parseSchedule(config.TRACKER_SCHEDULE),
      metrics: new PollerMetrics(registry, () => countDue(connection)),
    },
    { leaseMs: config.TRACKER_LEASE_MS },
    resources,
  );
});
