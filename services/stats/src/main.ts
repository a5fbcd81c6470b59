import { keepRefreshing, openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { addGauges, createMetrics, HttpMetrics, identityVerifier, serve, serveMetrics } from '@sigcast/http';
import { connectBroker, queueDepths, queueGauges } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { configOrExit, createLogger, type Resources, runService, type Shutdown } from '@sigcast/runtime';
import { startTracing } from '@sigcast/telemetry';
import { createApp } from './app.ts';
import { statsConfig } from './config.ts';
import { lingerMs, recordFacts } from './consumers/record-facts.ts';
import { factAggregates, factIndexes, factsCollection } from './store/fact-document.ts';
import { mongoFacts } from './store/mongo-facts.ts';
import { aggregateStatistics } from './store/mongo-statistics.ts';

const config = configOrExit(() => statsConfig(process.env));
const log = createLogger({ service: 'stats', level: config.LOG_LEVEL });

const start = async (resources: Resources, shutdown: Shutdown) => {
  await startTracing({ service: 'stats', config, log }, resources);
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'stats');
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const registry = createMetrics('stats', { source: import.meta.url, commit: config.BUILD_COMMIT });
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, { [factsCollection]: factIndexes }, log, resources);
  const aggregates = openAggregates(connection, factAggregates);
  keepRefreshing(aggregates, log, resources);
  const broker = await connectBroker(
    {
      urls: config.AMQP_URL,
      ca: config.AMQP_CA,
      name: 'stats',
      registry,
    },
    log,
    resources,
  );
  await recordFacts(broker, topology.stats, mongoFacts(connection, aggregates, { lingerMs }));
  const app = createApp({
    store: aggregateStatistics(aggregates),
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection), broker: broker.checkCredentials },
    reportedChecks: { broker: broker.checkUsable },
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
  });
  const at = { host: config.HOST, port: config.PORT, metrics: new HttpMetrics(registry) };
  await serve(app, { ...at, shutdown }, log, resources);
  addGauges(registry, queueGauges, () => queueDepths(broker, [topology.stats]));
  await serveMetrics(registry, config, log, resources);
};

await runService(log, start, config);
