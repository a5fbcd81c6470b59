// The scanner: reads lists of candidates at market sources, judges them by published rules, and sends the signals that they are.
import { once } from 'node:events';
import { probesApp, runProgram } from '@sigcast/http';
import { httpSource, limitedSource, redisPermits } from '@sigcast/market';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { checkMasters, connectRedis, redisFrom } from '@sigcast/redis';
import { backoffMs, waitAtMost } from '@sigcast/runtime';
import { readRules, readScannerConfig } from './config.ts';
import { ScannerMetrics, type SourceName } from './metrics.ts';
import { startScanner } from './scanner.ts';
import { signalsApi } from './sending/signals-api.ts';
import { dexScreenerListsOf, geckoTerminalListsOf } from './sources/lists.ts';
import { marketsOf } from './sources/markets.ts';
import { madeCollection, madeIndexes } from './store/made-document.ts';
import { mongoMadeSignals } from './store/mongo-made-signals.ts';

/** How long the start waits for Redis, in milliseconds. */
const redisWaitMs = 1_000;
/** The timeout of a call to Redis, in milliseconds. */
const redisTimeoutMs = 1_000;
/** The timeout of a request to a source or to the signals service, in milliseconds. */
const requestMs = 10_000;
/** The pauses after failures of a source. */
const sourcePauses = { firstMs: 200, maxMs: 60_000 };

const from = { read: readScannerConfig, env: process.env, source: import.meta.url };
await runProgram('scanner', from, async ({ config, log, registry, resources, serve }) => {
  const metrics = new ScannerMetrics(registry);
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, { [madeCollection]: madeIndexes }, log, resources);
  const redis = connectRedis({ ...redisFrom(config), timeoutMs: redisTimeoutMs }, log, resources);
  // Without a connection the first request would look like an outage.
  const ready = once(redis, 'ready').catch(() => undefined);
  await waitAtMost(redisWaitMs, ready);
  const checks = { mongodb: () => pingMongo(connection) };
  await serve(probesApp({ checks, reportedChecks: { redis: () => checkMasters(redis) } }, log));

  const limited = (
    name: SourceName,
    url: string,
    perMinute: number,
    headers: Record<string, string> = {},
  ) => {
    const source = httpSource({ url, headers, timeoutMs: requestMs });
    resources.defer(() => source.close());
    return limitedSource(source, {
      permits: redisPermits(redis, { source: name, perMinute }),
      pauseMs: (failures) => backoffMs(failures, sourcePauses),
      answered: (kind) => metrics.asked(name, kind),
    });
  };
  const { SCANNER_DEXSCREENER_URL: dexUrl, SCANNER_GECKOTERMINAL_URL: geckoUrl } = config;
  if (dexUrl === undefined) {
    log.warn('nothing is scanned: SCANNER_DEXSCREENER_URL is not set');
    return;
  }
  const [keyName, keyValue] = config.SCANNER_GECKOTERMINAL_KEY?.split(': ') ?? [];
  const perMinute = config.SCANNER_DEXSCREENER_LISTS_PER_MINUTE;
  const geckoTerminal =
    geckoUrl === undefined
      ? undefined
      : limited('geckoterminal', geckoUrl, config.SCANNER_GECKOTERMINAL_PER_MINUTE, {
          accept: 'application/json;version=20230302',
          ...(keyName && keyValue && { [keyName]: keyValue }),
        });
  const sources = {
    markets: limited('dexscreener', dexUrl, config.SCANNER_DEXSCREENER_PER_MINUTE),
    orders: limited('dexscreener-orders', dexUrl, perMinute),
    facts: geckoTerminal,
  };
  const chains = config.SCANNER_CHAINS.split(',');
  const coolDownMs = config.SCANNER_COOL_DOWN_HOURS * 3_600_000;
  const made = mongoMadeSignals(connection, { coolDownMs, now: () => new Date() });
  const api = signalsApi({
    url: config.SIGNALS_URL,
    token: config.SIGNALS_TOKEN,
    timeoutMs: Math.min(requestMs, Math.floor(config.SCANNER_LEASE_MS / 2)),
  });
  resources.defer(() => api.close());
  startScanner(
    {
      log,
      metrics,
      made,
      ...readRules(config),
      lists: [
        ...dexScreenerListsOf(limited('dexscreener-lists', dexUrl, perMinute)),
        ...(geckoTerminal ? geckoTerminalListsOf(geckoTerminal, chains) : []),
      ],
      markets: marketsOf(sources, () => new Date()),
      unsent: made,
      send: api.send,
      chains: new Set(chains),
      refused: (type, reason) => metrics.refused(type, reason),
      wasMade: (type) => metrics.made(type),
      now: () => new Date(),
    },
    {
      listEveryMs: config.SCANNER_LISTS_MS,
      againAfterMs: config.SCANNER_AGAIN_MS,
      leaseMs: config.SCANNER_LEASE_MS,
    },
    resources,
  );
});
