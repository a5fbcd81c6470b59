import { keepRefreshing, openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { addGauges, identityVerifier, runProgram } from '@sigcast/http';
import { connectBroker, queueDepths, queueGauges } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { brokerFrom } from '@sigcast/runtime';
import { createApp } from './app.ts';
import { statsConfig } from './config.ts';
import { lingerMs, recordFacts } from './consumers/record-facts.ts';
import { factAggregates, factIndexes, factsCollection } from './store/fact-document.ts';
import { mongoFacts } from './store/mongo-facts.ts';
import { aggregateStatistics } from './store/mongo-statistics.ts';

const from = { read: statsConfig, env: process.env, source: import.meta.url };
await runProgram('stats', from, async ({ config, log, registry, resources, serve }) => {
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'stats');
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, { [factsCollection]: factIndexes }, log, resources);
  const aggregates = openAggregates(connection, factAggregates);
  keepRefreshing(aggregates, log, resources);
  const broker = await connectBroker({ ...brokerFrom(config), name: 'stats', registry }, log, resources);
  await recordFacts(broker, topology.stats, mongoFacts(connection, aggregates, { lingerMs }));
  const app = createApp({
    store: aggregateStatistics(aggregates),
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection), broker: broker.checkCredentials },
    reportedChecks: { broker: broker.checkUsable },
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
  });
  await serve(app);
  addGauges(registry, queueGauges, () => queueDepths(broker, [topology.stats]));
});
