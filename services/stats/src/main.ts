import { keepRefreshing, openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { addGauge, createMetrics, identityVerifier, serve, serveMetrics } from '@sigcast/http';
import { connectBroker, eventDeclarations, messagesReady } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { configOrExit, createLogger, type Resources, runService, type Shutdown } from '@sigcast/runtime';
import { createApp } from './app.ts';
import { statsConfig } from './config.ts';
import { recordFacts } from './consumers/record-facts.ts';
import { factAggregates, factIndexes, factsCollection } from './store/fact-document.ts';
import { mongoFacts } from './store/mongo-facts.ts';
import { aggregateStatistics } from './store/mongo-statistics.ts';

const config = configOrExit(() => statsConfig(process.env));
const log = createLogger({ service: 'stats', level: config.LOG_LEVEL });

const start = async (resources: Resources, shutdown: Shutdown) => {
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS);
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo(mongoFrom(config), log, resources);
  await startIndexes(connection, { [factsCollection]: factIndexes }, log, resources);
  const aggregates = openAggregates(connection, factAggregates);
  keepRefreshing(aggregates, log, resources);
  const broker = await connectBroker(
    {
      ...{ urls: config.AMQP_URL, ca: config.AMQP_CA, name: 'stats' },
      declare: eventDeclarations(topology),
    },
    log,
    resources,
  );
  await recordFacts(broker, topology.stats, mongoFacts(connection, aggregates));
  const app = createApp({
    store: aggregateStatistics(aggregates),
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection), broker: broker.checkAdmission },
    informational: { broker: broker.checkUse },
    log,
  });
  await serve(app, { host: config.HOST, port: config.PORT, shutdown }, log, resources);
  if (config.METRICS_PORT !== undefined) {
    const registry = createMetrics('stats');
    const { queue: facts, parked } = topology.stats;
    const gauge = { name: 'sigcast_stats_queue_messages', help: 'Messages in queues.', label: 'queue' };
    addGauge(registry, gauge, async () => {
      const ready = await messagesReady(broker, [facts, parked]);
      return { facts: ready.get(facts), parked: ready.get(parked) };
    });
    await serveMetrics(registry, { host: config.METRICS_HOST, port: config.METRICS_PORT }, log, resources);
  }
};

await runService(log, start, config);
