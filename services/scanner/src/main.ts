// The scanner: reads lists of candidates at market sources, judges them by published rules, and sends the signals that they are.
import { once } from 'node:events';
import type { ScannerState } from '@sigcast/contracts';
import { identityVerifier, runProgram, serviceApp } from '@sigcast/http';
import type { SourceAnswer } from '@sigcast/market';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { checkMasters, connectRedis, redisFrom } from '@sigcast/redis';
import { waitAtMost, writeRegularly } from '@sigcast/runtime';
import { readRules, readScannerConfig } from './config.ts';
import { UnsavedCounts } from './domain/unsaved-counts.ts';
import { ScannerMetrics, type SourceName } from './metrics.ts';
import { startScanner } from './scanner.ts';
import { signalsApi } from './sending/signals-api.ts';
import { SourceStates } from './source-states.ts';
import { connectSources } from './sources/connect-sources.ts';
import { listTurns } from './sources/list-turns.ts';
import { marketsOf } from './sources/markets.ts';
import { madeCollection, madeIndexes } from './store/made-document.ts';
import { hoursCollection, hoursIndexes, mongoHours } from './store/mongo-hours.ts';
import { mongoMadeSignals } from './store/mongo-made-signals.ts';

/** How long the start waits for Redis, in milliseconds. */
const redisWaitMs = 1_000;
/** The timeout of a call to Redis, in milliseconds. */
const redisTimeoutMs = 1_000;
/** How often counts are stored, in milliseconds: a killed process loses so much of them. Its metrics count without a gap. */
const countsEveryMs = 30_000;
/** The timeout of a request to the signals service, in milliseconds. */
const requestMs = 10_000;

const now = () => new Date();
const from = { read: readScannerConfig, env: process.env, source: import.meta.url };
await runProgram('scanner', from, async ({ config, log, registry, resources, serve }) => {
  const metrics = new ScannerMetrics(registry);
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(
    connection,
    { [madeCollection]: madeIndexes, [hoursCollection]: hoursIndexes },
    log,
    resources,
  );
  const redis = connectRedis({ ...redisFrom(config), timeoutMs: redisTimeoutMs }, log, resources);
  // Without a connection the first request would look like an outage.
  const ready = once(redis, 'ready').catch(() => undefined);
  await waitAtMost(redisWaitMs, ready);
  const [states, counts, hours] = [new SourceStates(), new UnsavedCounts(), mongoHours(connection)];
  const rules = readRules(config);
  let scanner = { waiting: 0 };
  await serve(
    serviceApp(
      {
        verifyGateway: identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'scanner'),
        checks: { mongodb: () => pingMongo(connection) },
        reportedChecks: { redis: () => checkMasters(redis) },
        systemState: async (): Promise<ScannerState> => ({
          rule: rules.rule,
          waiting: scanner.waiting,
          sources: states.all(),
          ...(await hours.day(now())),
        }),
        log,
      },
      () => undefined,
    ),
  );

  const answered = (name: SourceName, answer: SourceAnswer) => {
    metrics.asked(name, answer.kind);
    states.note(name, answer, now());
  };
  const sources = connectSources(config, { redis, answered }, resources);
  if (sources === undefined) {
    log.warn('nothing is scanned: SCANNER_DEXSCREENER_URL is not set');
    return;
  }
  const coolDownMs = config.SCANNER_COOL_DOWN_HOURS * 3_600_000;
  const made = mongoMadeSignals(connection, { coolDownMs, now });
  const api = signalsApi({
    url: config.SIGNALS_URL,
    token: config.SIGNALS_TOKEN,
    timeoutMs: Math.min(requestMs, Math.floor(config.SCANNER_LEASE_MS / 2)),
  });
  resources.defer(() => api.close());
  metrics.watchUnsent(made.countUnsent);
  const keepCounts = () => counts.store((taken) => hours.add(taken, now()));
  const problem = 'counts wait: the store does not answer';
  writeRegularly(keepCounts, { problem, everyMs: countsEveryMs, log }, resources);
  scanner = startScanner(
    {
      log,
      metrics,
      made,
      ...rules,
      lists: sources.lists,
      markets: marketsOf(sources.figures, now),
      unsent: made,
      send: api.send,
      chains: new Set(config.SCANNER_CHAINS.split(',')),
      mayRead: listTurns(redis, config.SCANNER_LISTS_MS),
      judged: (tokens) => counts.judged(tokens),
      refused: (type, reason) => {
        metrics.refused(type, reason);
        counts.refused(type, reason);
      },
      wasMade: (type) => {
        metrics.made(type);
        counts.made(type);
      },
      now,
    },
    {
      listEveryMs: config.SCANNER_LISTS_MS,
      againAfterMs: config.SCANNER_AGAIN_MS,
      leaseMs: config.SCANNER_LEASE_MS,
    },
    resources,
  );
});
