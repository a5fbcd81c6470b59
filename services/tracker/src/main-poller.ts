// The tracker's poller: asks the market about signals that are due, and sends what it observed to the signals service.
import { once } from 'node:events';
import { probesApp, runProgram } from '@sigcast/http';
import {
  geckoTerminalHeaders,
  httpSource,
  type LimitedSource,
  limitedSource,
  redisPermits,
} from '@sigcast/market';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { rulesV1 } from '@sigcast/outcomes';
import { checkMasters, connectRedis, redisFrom } from '@sigcast/redis';
import { backoffMs, LogThrottle, waitAtMost } from '@sigcast/runtime';
import { parseSchedule } from './domain/schedule.ts';
import { marketSource, pausedAfterFailures, secondSource } from './market/market-source.ts';
import { PollerMetrics } from './poller/metrics.ts';
import { startPoller } from './poller/poller.ts';
import { startRefreshing } from './poller/refresh-holders.ts';
import { readPollerConfig, readRules } from './poller-config.ts';
import { observationsApi } from './sending/observations-api.ts';
import { countDue, mongoFollowedSignals } from './store/mongo-followed-signals.ts';
import { mongoHolders } from './store/mongo-holders.ts';
import { trackedCollection, trackedIndexes } from './store/tracked-document.ts';

/** How long the start waits for Redis, in milliseconds. */
const redisWaitMs = 1_000;

/** The timeout of a call to Redis, in milliseconds. Nobody waits for a poller, so it is longer than the gateway's. */
const redisTimeoutMs = 1_000;

/** The timeout of a request to the market or to the signals service, in milliseconds. */
const longestRequestMs = 10_000;

/** The pauses after failures of a source. */
const sourcePauses = { firstMs: 1_000, maxMs: 60_000 };

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
  const { MARKET_GECKOTERMINAL_URL: geckoUrl } = config;
  // One request to each source, one with figures, and the decisions, which are sent together, leave as much time for the writes.
  const parts = geckoUrl === undefined ? 4 : 5;
  const timeoutMs = Math.min(longestRequestMs, Math.floor(config.TRACKER_LEASE_MS / parts));
  const source = httpSource({ url: config.MARKET_URL, timeoutMs });
  resources.defer(() => source.close());
  const api = observationsApi({ url: config.SIGNALS_URL, token: config.SIGNALS_TOKEN, timeoutMs });
  resources.defer(() => api.close());
  const metrics = new PollerMetrics(registry, () => countDue(connection));
  const pauseMs = (failures: number) => backoffMs(failures, sourcePauses);
  let geckoTerminal: LimitedSource | undefined;
  if (geckoUrl !== undefined) {
    const headers = geckoTerminalHeaders(config.MARKET_GECKOTERMINAL_KEY);
    // Half of the time is for a permit.
    const http = httpSource({ url: geckoUrl, headers, timeoutMs: Math.floor(timeoutMs / 2) });
    resources.defer(() => http.close());
    const perMinute = config.MARKET_GECKOTERMINAL_PER_MINUTE;
    const permits = redisPermits(redis, { source: 'geckoterminal', perMinute });
    geckoTerminal = limitedSource(http, {
      permits,
      pauseMs,
      answered: ({ kind }) => metrics.askedSecond(kind),
    });
  }
  const refreshSchedule = geckoTerminal && parseSchedule(config.TRACKER_HOLDERS_SCHEDULE);
  const logThrottle = new LogThrottle();
  if (geckoTerminal && refreshSchedule) {
    const perMinute = config.TRACKER_HOLDERS_PER_MINUTE;
    const permits = redisPermits(redis, { source: 'geckoterminal-holders', perMinute });
    const holders = mongoHolders(connection, { schedule: refreshSchedule, now: () => new Date() });
    startRefreshing({ store: holders, source: geckoTerminal, permits, log, logThrottle }, resources);
  }
  const market = marketSource(source);
  startPoller(
    {
      // Without another source, the poller's own pauses are enough.
      source: geckoTerminal ? pausedAfterFailures(market, pauseMs) : market,
      second: geckoTerminal && {
        source: secondSource(geckoTerminal, timeoutMs),
        factor: config.MARKET_JUMP_FACTOR,
      },
      log,
      logThrottle,
      send: api.send,
      store: mongoFollowedSignals(connection),
      permits: redisPermits(redis, { source: 'dexscreener', perMinute: config.MARKET_REQUESTS_PER_MINUTE }),
      applyRules: rulesV1(readRules(config)),
      schedule: parseSchedule(config.TRACKER_SCHEDULE),
      refreshSchedule,
      metrics,
    },
    { leaseMs: config.TRACKER_LEASE_MS },
    resources,
  );
});
