import { eventTopology } from '@sigcast/contracts';
import { addGauges, createMetrics, HttpMetrics, identityVerifier, serve, serveMetrics } from '@sigcast/http';
import { connectBroker, queueDepths, queueGauges } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { configOrExit, createLogger, type Resources, runService, type Shutdown } from '@sigcast/runtime';
import { startTracing } from '@sigcast/telemetry';
import { createApp } from './app.ts';
import { readTrackerConfig } from './config.ts';
import { lingerMs, recordObservations } from './consumers/record-observations.ts';
import { addDueGauge } from './poller/metrics.ts';
import { trackerIndexes } from './store/indexes.ts';
import { mongoBacktestHistory } from './store/mongo-backtest-history.ts';
import { longestBacktestWait, mongoBacktests, mongoBacktestWork } from './store/mongo-backtests.ts';
import { countDue } from './store/mongo-followed-signals.ts';
import { mongoHistory } from './store/mongo-history.ts';
import { mongoPast } from './store/mongo-past.ts';
import { mongoRevisions } from './store/mongo-revisions.ts';
import { startThinning } from './store/thin-observations.ts';
import { addBacktestGauge, workOnBacktests } from './work-on-backtests.ts';

const config = configOrExit(() => readTrackerConfig(process.env));
const log = createLogger({ service: 'tracker', level: config.LOG_LEVEL });

const start = async (resources: Resources, shutdown: Shutdown) => {
  await startTracing({ service: 'tracker', config, log }, resources);
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'tracker');
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const registry = createMetrics('tracker', { source: import.meta.url, commit: config.BUILD_COMMIT });
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, trackerIndexes, log, resources);
  const broker = await connectBroker(
    {
      urls: config.AMQP_URL,
      ca: config.AMQP_CA,
      name: 'tracker',
      registry,
    },
    log,
    resources,
  );
  await recordObservations(
    broker,
    topology.tracker,
    mongoRevisions(connection, () => new Date(), lingerMs),
  );
  startThinning(connection, { log, resources });
  const backtestHistory = mongoBacktestHistory(connection);
  const notifyBacktest = workOnBacktests(
    { work: mongoBacktestWork(connection), history: backtestHistory },
    { log, resources },
  );
  const backtests = mongoBacktests(connection);
  const app = createApp({
    history: mongoHistory(connection),
    past: mongoPast(connection),
    backtests: {
      ...backtests,
      insert: async (...backtest) => {
        const outcome = await backtests.insert(...backtest);
        notifyBacktest();
        return outcome;
      },
    },
    backtestHistory,
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection), broker: broker.checkCredentials },
    reportedChecks: { broker: broker.checkUsable },
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
  });
  const at = { host: config.HOST, port: config.PORT, metrics: new HttpMetrics(registry) };
  await serve(app, { ...at, shutdown }, log, resources);
  addGauges(registry, queueGauges, () => queueDepths(broker, [topology.tracker]));
  // Here, too, so that due signals are seen where no poller runs.
  addDueGauge(registry, () => countDue(connection));
  addBacktestGauge(registry, () => longestBacktestWait(connection, new Date()));
  await serveMetrics(registry, config, log, resources);
};

await runService(log, start, config);
